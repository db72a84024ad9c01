import HTTPMessages

/// Equal refusals of a server, as the owner's page and `why` show them. `RefusalLog` has them.
package struct RefusalView: Codable, Equatable, Sendable {
  /// Stays the same while equal ones are added.
  package let id: Int64
  /// Of the last one. Grows with each refusal.
  package let number: Int64
  /// Of the last one, such as 2026-11-20T22:24:16.641Z.
  package let time: String
  package let count: Int64
  package let status: Int
  /// Nil if the request could not be read.
  package let method: String?
  /// Nil if no app has the address.
  package let route: String?
  package let detail: String
  /// The address of the client.
  package let client: String
  /// Nil if the client does not name itself.
  package let app: String?
  /// The user whose credentials the request had; nil if it had none.
  package let userID: Int64?
  /// Nil also if the user was deleted, or is one of the Microblog.
  package let email: String?
  /// Of the last one; nil if it has none.
  package let requestID: String?

  /// - Parameter email: of the user; nil if it is not known.
  init(_ entry: RefusalLog.Entry, email: String?) {
    id = entry.id
    number = entry.number
    time = Timestamp.text(unixMilliseconds: entry.time)
    count = entry.count
    status = entry.status
    method = entry.method
    route = entry.route.map { "\($0)" }
    detail = entry.detail
    client = entry.client
    app = entry.app.isEmpty ? nil : entry.app
    userID = entry.userID
    self.email = email
    requestID = entry.requestID.isEmpty ? nil : entry.requestID
  }

  private enum CodingKeys: String, CodingKey {
    case id, number, time, count, status, method, route, detail, client, app
    case userID = "user_id"
    case email
    case requestID = "request_id"
  }
}
