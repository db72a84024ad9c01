import APITestSupport
import HTTPMessages
import SelfieAPI
import TestSupport
import Testing

@testable import SelfieOperations

/// The owner's page of an application, and a browser that has one cookie.
final class OwnerPageFixture {
  typealias Field = (name: String, value: String)

  static let elsewhere = "The application's own"

  let api: APIFixture
  let clock = SettableClock()
  let sessions: OwnerSessions
  let console: OwnerConsole
  let page: OwnerPage
  var cookie: String?

  init(
    settings: [ShownSetting] = [], opensInspector: Bool = false, adjust: (inout APISettings) -> Void = { _ in }
  ) throws {
    api = try APIFixture(adjust: adjust)
    sessions = OwnerSessions(
      address: "http://localhost:3000", opensInspector: opensInspector, clock: { [clock] in clock.now })
    let server = RunningServer(
      clientURL: "http://127.0.0.1:3000", backups: nil, settings: settings, sessions: sessions)
    console = OwnerConsole(api.application, server: server)
    page = OwnerPage(console, of: server)
  }

  /// The secret in the link that the command prints.
  func link() async throws -> String {
    let reply = await console.reply(to: Array(#"{"openPage":{}}"#.utf8))
    return String(try #require(reply.head.summary?.split(separator: "#").last))
  }

  func begin(_ link: String, fields: [Field]? = nil, peer: String = "127.0.0.1") async -> Response {
    await send("POST", "/owner/session", fields: fields, body: #"{"link":"\#(link)"}"#, peer: peer)
  }

  /// Opens the page with a new link.
  func open(fields: [Field]? = nil, peer: String = "127.0.0.1") async throws {
    let response = await begin(try await link(), fields: fields, peer: peer)
    cookie = response.fields["Set-Cookie"]?.split(separator: ";").first.map(String.init)
  }

  /// Runs a command by the page, such as `{"status":{}}`. The response to a success has a summary, a total and a result.
  func run(_ command: String, fields: [Field]? = nil, peer: String = "127.0.0.1") async -> Response {
    await send("POST", "/owner/commands", fields: fields, body: command, peer: peer)
  }

  static let ofPage = [
    (name: "Host", value: "localhost:3000"), (name: "Origin", value: "http://localhost:3000"),
    (name: "Sec-Fetch-Site", value: "same-origin"), (name: "X-Owner-Page", value: "1"),
  ]

  /// - Parameter fields: those that a browser sends from the page if nil.
  func send(
    _ method: String, _ target: String, fields: [Field]? = nil, body: String = "", peer: String = "127.0.0.1"
  ) async -> Response {
    let fields = (fields ?? Self.ofPage) + (cookie.map { [(name: "Cookie", value: "a=b; \($0)")] } ?? [])
    let request = Request(method, target, fields: fields, body: Array(body.utf8), peer: peer)
    return await page.handle(request) { _ in
      .now(Response(status: .notFound, body: .bytes(Array(Self.elsewhere.utf8))))
    }.response
  }
}

extension Response {
  var text: String { String(decoding: body.content ?? [], as: UTF8.self) }
}
