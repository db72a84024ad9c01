import HTTPMessages
import Pages
import SelfieAPI

/// The owner's page, `/owner`: the owner's commands and a look at the server, in a browser. Where there is no link and
/// no session, there is no such address.
public struct OwnerPage: Sendable {
  let interface: OwnerInterface
  let sessions: OwnerSessions
  let activity: ServerActivity
  let settings: [ShownSetting]
  let checks: StorageChecks
  private let access: PageAccess

  /// - Parameters:
  ///   - settings: those in force.
  ///   - check: checks the storage without changing it, and returns the JSON that `doctor --json` prints.
  public init(
    _ interface: OwnerInterface, sessions: OwnerSessions, settings: [ShownSetting],
    check: @escaping @Sendable () async throws -> [UInt8]
  ) {
    self.interface = interface
    self.sessions = sessions
    self.settings = settings
    activity = ServerActivity()
    checks = StorageChecks(check, clock: interface.application.clock)
    access = PageAccess(interface.application.settings)
  }

  /// Responds to a request for the page, and passes others to `other`.
  public func respond(to request: Request, else other: @Sendable (Request) async -> Response) async -> Response {
    guard sessions.isOn else { return noted(await other(request), to: request) }
    if let response = await response(to: request) { return noted(response, to: request) }
    let stopwatch = activity.start()
    let response = await other(request)
    activity.count(since: stopwatch)
    return noted(response, to: request)
  }

  /// Whether there is a link or a session.
  public var isOn: Bool { sessions.isOn }

  /// Keeps a response for the page if it tells of an error of the server.
  ///
  /// - Parameter head: of its request; nil if that could not be read.
  public func noteError(_ response: Response, to head: RequestHead?) {
    if response.status.code >= 500 { activity.note(response, to: head, at: interface.application.clock()) }
  }

  private func noted(_ response: Response, to request: Request) -> Response {
    noteError(response, to: request.head)
    return response
  }

  /// Nil if the request is for something else.
  private func response(to request: Request) async -> Response? {
    guard request.head.path.starts(with: "/owner".utf8) else { return nil }
    let path = request.head.path.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    guard path.first == "owner" else { return nil }
    let id = interface.application.identify(request, route: "/owner")
    var response: Response
    do {
      response = try await respond(to: request, path: Array(path.dropFirst()))
    } catch {
      response = interface.application.response(to: error, of: request, requestID: id)
    }
    if response.body.content == nil {
      response.fields.append(
        lines: Array("Content-Type: application/octet-stream\r\nContent-Disposition: attachment\r\n".utf8))
    }
    response.fields.append(lines: Self.safety)
    response.fields.append("X-Request-Id", id)
    return response
  }

  private func respond(to request: Request, path: [String]) async throws -> Response {
    let transport = try access.transport(of: request)
    let isRead = [.get, .head].contains(request.head.method)
    switch path {
    case [] where isRead: return try Self.file("owner.html", for: request)
    case ["files", path.last] where isRead: return try Self.file(path.last ?? "", for: request)
    default: break
    }
    try access.checkOrigin(of: request, over: transport)
    if path == ["session"], request.head.method == .post { return try await begin(request, over: transport) }
    let cookie = request.head.fields.all(.cookie).flatMap { Cookie.values(of: transport.cookieName, in: $0) }
      .map { String(decoding: $0, as: UTF8.self) }.first { $0.utf8.count <= Self.maxSecretBytes }
    guard let cookie, sessions.isSession(cookie) else {
      throw APIError(.unauthorized, "There is no session, or it has ended. selfie-server owner prints a new link.")
    }
    switch (request.head.method, path) {
    case (.delete, ["session"]):
      sessions.end(cookie)
      return Self.setting(transport, "", maxAge: 0)
    case (.get, ["api", "activity"]): return showActivity()
    case (.get, ["api", "history"]): return showHistory()
    case (.get, ["api", "settings"]): return showSettings()
    case (.get, ["api", "doctor"]): return showChecks()
    case (.post, ["api", "doctor"]): return startCheck()
    default:
      guard path.first == "api", path.count > 1, Self.shared.contains(path[1]) else { throw APIError.notFound }
      return try await interface.respond(to: OwnerCall(request, prefix: 2))
    }
  }

  /// The first segments of the owner's interface that the page has as well.
  private static let shared = ["status", "users", "tokens", "photos"]

  private static func file(_ name: String, for request: Request) throws -> Response {
    guard let file = PageFile(name, in: .owner) else { throw APIError.notFound }
    return file.response(to: request)
  }

  /// `POST /owner/session` with `link`.
  private func begin(_ request: Request, over transport: PageAccess.Transport) async throws -> Response {
    guard case .object(let members) = try JSONReader.read(try await request.body.collect(upTo: Self.maxSessionBytes)),
      case .string(let link)? = members["link"], link.utf8.count <= Self.maxSecretBytes
    else { throw APIError(.badRequest, "The body must be a JSON object with the member link.") }
    switch sessions.begin(link: link) {
    case .begun(let secret):
      interface.application.securityLog.log(
        ownersCommand: "owner's page opened", ["peer": request.peer], numbers: [:])
      return Self.setting(transport, secret, maxAge: OwnerSessions.sessionLifetime / 1000)
    case .wrong:
      interface.application.securityLog.logRefusedOwnersLink(of: request)
      throw APIError(
        .unauthorized, "This link has been used, or is older than five minutes. selfie-server owner prints a new one.")
    case .tooMany(let wait):
      interface.application.securityLog.logRefusedOwnersLink(of: request)
      throw APIError.tooMany("wrong links", wait: wait, reason: .tooManyAttempts)
    }
  }

  private static let maxSessionBytes = 1024
  /// Twice as much as a secret has.
  private static let maxSecretBytes = 128

  private static func setting(_ transport: PageAccess.Transport, _ value: String, maxAge: Int64) -> Response {
    var response = Response.owner(JSONWriter.object { StatusMessage.write(200, "OK", to: &$0) })
    response.fields.append(
      "Set-Cookie", "\(transport.cookieName)=\(value); \(transport.cookieAttributes); Max-Age=\(maxAge)")
    return response
  }

  private static let safety = Array("X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n".utf8)
}
