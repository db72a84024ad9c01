import HTTPMessages
import SelfieAPI
import SQLite

extension Worlds {
  /// Answers what is about the worlds, and so needs none; nil for all else.
  func controlWorlds(_ call: ControlCall) async throws -> Response? {
    switch call.path.first {
    case nil: try index(call)
    case "worlds"?: try await worlds(call)
    default: nil
    }
  }

  /// From any other request to its endpoint.
  func control(_ call: ControlCall, of world: World) async throws -> Response {
    switch call.path.first {
    case "clock"?: try await world.clock(call)
    case "faults"?: try await world.faults(call)
    case "requests"?: try await world.requests(call)
    case "reset"?: try await world.reset(call)
    case "state"?: try await world.state(call)
    case "seed"?: try await world.seed(call)
    case "snapshots"?: try await world.snapshots(call)
    case "tokens"?: try await world.tokens(call)
    default: throw ControlError.notFound
    }
  }

  /// Lets pass who is on this machine, or knows the API's credentials.
  ///
  /// A foreign web page is refused with credentials, too: those of ephemeral servers are known to everybody, and a
  /// browser sends the ones in an address that a page leads to.
  func allow(_ request: Request) throws {
    guard !ControlCall.isFromForeignPage(request) else { throw ControlError.foreignPage }
    guard isAllowed(request) else { throw ControlError.denied }
  }

  /// Whether who asks is on this machine, or knows the API's credentials; wrong ones count as guesses.
  func isAllowed(_ request: Request) -> Bool {
    guard !ControlCall.isFromForeignPage(request) else { return false }
    return ControlCall.isLocal(request) || main.application.isAuthorized(request)
  }

  /// The one place where errors of the control interface become answers.
  func answer(to error: any Error) -> Response {
    switch error {
    case let error as ControlError:
      var response = Response.json(error.status) { json in
        json.member("status", Int64(error.status.code))
        json.member("message", error.message)
      }
      if let allowed = error.allowed { response.fields.append("Allow", allowed) }
      if error.asksForCredentials {
        response.fields.append("WWW-Authenticate", "Basic realm=\"Application\"" as StaticString)
      }
      return response
    case let error as StateError:
      return answer(to: ControlError(error.kind.status, error.description))
    case let error as BodyError:
      return answer(to: ControlError.badRequest("The body could not be read: \(error)."))
    default: return answer(to: RequestFailure(error), error)
    }
  }

  private func answer(to failure: RequestFailure, _ error: any Error) -> Response {
    switch failure {
    case .cancelled, .busy:
      var response = answer(
        to: ControlError(.serviceUnavailable, "The server is busy, and has done nothing. Try again in a moment."))
      response.fields.append("Retry-After", "1" as StaticString)
      return response
    case .storageFull:
      logger.error("the disk is full", metadata: ["error": "\(error)"])
      return answer(
        to: ControlError(
          .insufficientStorage,
          """
          There is no room left for it. POST /__admin/reset, DELETE /__admin/worlds/NAME and \
          DELETE /__admin/snapshots/NAME make some.
          """))
    case .storageFailing, .unexpected:
      logger.error("a request to the control interface failed", metadata: ["error": "\(error)"])
      return answer(to: ControlError(.internalServerError, "Something went wrong on the server: \(error)."))
    }
  }
}

extension ControlCall {
  /// Whether a program on this machine asks.
  var isLocal: Bool { Self.isLocal(request) }

  /// Whether a program on this machine asks.
  ///
  /// A page in a browser on this machine could ask, too: by a name that its owner lets stand for 127.0.0.1 (DNS
  /// rebinding). And a proxy on this machine may ask for anybody. So the name that is asked for must be this machine's,
  /// and nobody may have forwarded the request.
  static func isLocal(_ request: Request) -> Bool {
    let fields = request.head.fields
    let isForwarded = fields[.xForwardedFor] != nil || fields[.forwarded] != nil
    return isLoopback(request.peer) && !isForwarded && isLoopback(withoutPort(host(request)))
      && !isFromForeignPage(request)
  }

  /// Whether a page of another site asks, by a browser that says so (Fetch, W3C Fetch Metadata). Browsers let any page
  /// send a GET or a POST to any address, with a body of type text/plain. Pages of this machine's own servers may ask.
  static func isFromForeignPage(_ request: Request) -> Bool {
    let fields = request.head.fields
    let sites = fields.all(.secFetchSite)
    if sites.contains(where: { $0.elementsEqual("cross-site".utf8) || $0.elementsEqual("same-site".utf8) }) {
      return true
    }
    return fields.all(.origin).contains { origin in
      // "null" is what a page without an origin sends, such as one in a sandbox.
      let parts = String(decoding: origin, as: UTF8.self).split(separator: "://", maxSplits: 1)
      guard parts.count == 2 else { return true }
      return parts[1] != host(request) && !isLoopback(withoutPort(String(parts[1])))
    }
  }

  private static func host(_ request: Request) -> String {
    request.head.host.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private static func withoutPort(_ host: String) -> String {
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
      return String(host[host.index(after: host.startIndex)..<end])
    }
    return String(host.prefix { $0 != ":" })
  }

  private static func isLoopback(_ name: String) -> Bool {
    name == "localhost" || name == "::1" || name == "::ffff:127.0.0.1"
      || name.hasPrefix("127.") && name.allSatisfy { $0 == "." || $0.isASCII && $0.isNumber }
  }
}

extension StateError.Kind {
  fileprivate var status: Status {
    switch self {
    case .invalid: .badRequest
    case .notFound: .notFound
    case .conflict: .conflict
    case .full: .tooManyRequests
    }
  }
}

extension FieldName {
  /// RFC 7239.
  static let forwarded = FieldName("forwarded")
  /// RFC 6454 §7.
  static let origin = FieldName("origin")
  /// W3C Fetch Metadata §2.3.
  static let secFetchSite = FieldName("sec-fetch-site")
}
