package import HTTPMessages
import Logging

/// Logs events that concern the security of accounts, one line for each. `SecurityEvent` lists the events.
///
/// No secret stands in it, and no email address of a user whose id is known: logs are kept longer, and read by more
/// people, than the database.
package struct SecurityLog: Sendable {
  /// Whose account an event is about.
  package enum Account: Hashable {
    case user(Int64)
    case microblogUser(Int64)
  }

  let logger: Logger
  let proxies: TrustedProxies

  /// Logs what a client has done.
  ///
  /// - Parameters:
  ///   - account: nil if it is not known.
  ///   - status: of the response, where it tells more than the event.
  package func log(
    _ event: SecurityEvent, by request: Request, on account: Account? = nil, status: Status? = nil
  ) {
    log(event, by: request, of: Client(of: request, trusting: proxies), on: account, status: status)
  }

  func log(_ event: SecurityEvent, by call: Call, on account: Account? = nil) {
    log(event, by: call.request, of: call.client, on: account, status: nil)
  }

  private func log(
    _ event: SecurityEvent, by request: Request, of client: Client, on account: Account?, status: Status?
  ) {
    var metadata: Logger.Metadata = ["event": .string(event.rawValue), "peer": .string(request.peer)]
    switch account {
    case .user(let id): metadata["user_id"] = .stringConvertible(id)
    case .microblogUser(let id): metadata["microblog_user_id"] = .stringConvertible(id)
    case nil: break
    }
    if let address = client.address { metadata["client"] = .string(address) }
    if let id = request.context?.facts.requestID, !id.isEmpty {
      metadata["request_id"] = .string(String(decoding: id, as: UTF8.self))
    }
    if let status { metadata["status"] = .stringConvertible(status.code) }
    logger.notice("\(event.message)", metadata: metadata)
  }

  /// Logs what the owner has changed.
  ///
  /// - Parameters:
  ///   - command: such as `user create`.
  ///   - details: whom or what it was about; no secrets.
  package func log(ownersCommand command: String, _ details: [String: String], numbers: [String: Int64]) {
    var metadata = details.mapValues { Logger.MetadataValue.string($0) }
    for (name, number) in numbers { metadata[name] = .stringConvertible(number) }
    metadata["event"] = .string(SecurityEvent.ownersCommand.rawValue)
    logger.notice("\(SecurityEvent.ownersCommand.message): \(command)", metadata: metadata)
  }

  /// An email address that the owner can recognize: `j…@example.com`.
  package static func masked(_ email: String) -> String {
    let domain = email.lastIndex(of: "@").map { email[$0...] } ?? ""
    return "\(email.prefix(1))…\(domain)"
  }
}
