package import HTTPMessages
import Pages
import Platform
import SelfieAPI

/// The owner's page, `/owner`: the owner's commands and the state of the server, in a browser. While there is neither a
/// link nor a session, there is no such address. `OwnerConsole` runs the commands, and `OwnerSessions` has the links
/// and sessions.
package final class OwnerPage: Middleware {
  private let console: OwnerConsole
  private let server: RunningServer

  package init(_ console: OwnerConsole, of server: RunningServer) {
    self.console = console
    self.server = server
  }

  /// Responds to a request for the page, and keeps any response for the owner that refuses a request.
  package func handle(_ request: Request, next: @escaping @Sendable (Request) -> Reply) -> Reply {
    // While no page is open, a request does not pay for the call below.
    if isOn {
      return .later { [self] in
        let response = if let own = await response(to: request) { own } else { await next(request).response }
        note(response, to: request)
        return response
      }
    }
    let reply = next(request)
    switch reply {
    case .now(let response): note(response, to: request)
    case .later(let respond):
      return .later { [self] in
        let response = await respond()
        note(response, to: request)
        return response
      }
    }
    return reply
  }

  package func handle(refusal: inout Response, of request: RefusedRequest) {
    server.refusals.note(refusal, to: request, by: console.application)
  }

  /// Whether there is a link or a session.
  private var isOn: Bool { server.sessions.isOn }

  /// Keeps a response for the owner if it refuses the request.
  private func note(_ response: Response, to request: Request) {
    server.refusals.note(response, to: request, by: console.application)
  }

  /// Nil if the request is for something else.
  private func response(to request: Request) async -> Response? {
    guard isOn, request.head.path.starts(with: "/owner".utf8) else { return nil }
    let path = request.head.path.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    guard path.first == "owner" else { return nil }
    let id = console.application.identify(request, route: "/owner")
    var response: Response
    do {
      response = try await respond(to: request, path: Array(path.dropFirst()))
    } catch {
      response = console.application.response(to: error, of: request, requestID: id)
    }
    response.fields.append(lines: Self.safety)
    response.fields.append("X-Request-Id", id)
    return response
  }

  private func respond(to request: Request, path: [String]) async throws -> Response {
    let settings = console.application.settings
    let access = try PageAccess.of(request, settings)
    let method = request.head.method
    // A plain link, of which the ticket is the credential.
    if method == .get, path.count == 2, path[0] == "backup" {
      guard server.sessions.take(.ticket, path[1]) else { throw Self.usedTicket }
      return try await console.backup()
    }
    if [.get, .head].contains(method) {
      guard path.isEmpty || path.count == 2 && path[0] == "files",
        let file = PageFile(path.last ?? (server.sessions.opensInspector ? "door.html" : "owner.html"), in: .owner)
      else { throw APIError.notFound }
      return await file.response(to: request, by: console.application.lists)
    }
    try access.checkOrigin(of: request, settings)
    if method == .post, path == ["session"] { return try await begin(request, access) }
    guard let cookie = access.cookie(of: request), server.sessions.isSession(cookie) else {
      throw APIError(.unauthorized, "The session has ended. For a new link, run \(Installation.command) owner.")
    }
    switch (method, path) {
    case (.delete, ["session"]):
      _ = server.sessions.take(.session, cookie)
      return setting(access, "", maxAge: 0)
    case (.post, ["commands"]): return try await run(request)
    case (.post, ["backup"]):
      return Self.json(JSONWriter.object { $0.member("path", "/owner/backup/\(server.sessions.make(.ticket))") })
    default: throw APIError.notFound
    }
  }

  /// `POST /owner/commands` with the JSON of an `OwnerCommand`.
  private func run(_ request: Request) async throws -> Response {
    let command = try OwnerConsole.command(try await request.body.collect(upTo: OwnerCommand.maxJSONBytes))
    guard command.isForPage else { throw APIError(.forbidden, "The page does not run this command.") }
    let reply = try await console.run(command)
    return Self.json(
      JSONWriter.object { json in
        json.member("summary", reply.head.summary)
        json.member("total", reply.head.total)
        json.key("result")
        json.written(reply.json)
      })
  }

  /// `POST /owner/session` with `link`.
  private func begin(_ request: Request, _ access: PageAccess) async throws -> Response {
    let body = try JSONReader.read(try await request.body.collect(upTo: Self.maxSessionBytes))
    guard case .string(let link)? = body[member: "link"], link.utf8.count <= Self.maxSecretBytes
    else { throw APIError(.badRequest, "The body must be a JSON object with the member link.") }
    let log = console.application.securityLog
    do {
      let secret = try server.sessions.begin(link: link)
      log.log(ownersCommand: "owner's page opened", ["peer": request.peer], numbers: [:])
      return setting(access, secret, maxAge: OwnerSessions.sessionLifetime / 1000)
    } catch {
      log.log(.ownersLinkRefused, by: request)
      throw error
    }
  }

  private static let usedTicket = APIError(
    .unauthorized, "This download was begun before, or is older than a minute. Begin another one on the owner's page.")
  private static let maxSessionBytes = 1024
  /// Twice as much as a secret has.
  private static let maxSecretBytes = 128

  private func setting(_ access: PageAccess, _ value: String, maxAge: Int64) -> Response {
    var response = Self.json(StatusMessage.json(200, "OK"))
    let path = server.sessions.opensInspector ? "/__admin" : "/owner"
    response.fields.append("Set-Cookie", access.cookie(value, path: path, maxAge: maxAge))
    return response
  }

  private static func json(_ json: [UInt8]) -> Response {
    let fields = "Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n" as StaticString
    return Response(status: .ok, fields: ResponseFields(lines: fields), body: .bytes(json))
  }

  private static let safety = Array("X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n".utf8)
}
