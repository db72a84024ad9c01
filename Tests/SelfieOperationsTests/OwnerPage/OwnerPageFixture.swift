import APITestSupport
import HTTPMessages
import Platform
import SelfieAPI
import TestSupport

@testable import SelfieOperations

/// The owner's page of an application, and a browser that has one cookie.
final class OwnerPageFixture {
  static let elsewhere = "The application's own"

  let api: APIFixture
  let clock = SettableClock()
  let sessions: OwnerSessions
  let page: OwnerPage
  var cookie: String?

  init(
    settings: [ShownSetting] = [], adjust: (inout APISettings) -> Void = { _ in },
    check: @escaping @Sendable () async throws -> [UInt8] = { [] }
  ) throws {
    api = try APIFixture(adjust: adjust)
    sessions = OwnerSessions(address: "http://localhost:3000", clock: { [clock] in clock.now })
    let interface = OwnerInterface(api.application, version: "0", startedAt: 0, sessions: sessions)
    page = OwnerPage(interface, sessions: sessions, settings: settings, check: check)
  }

  /// The secret in the link that the command prints.
  func link() async throws -> String {
    let response = await page.interface.respond(Request("POST", "/page/links"))
    guard case .object(let members) = try JSONReader.read(response.body.content ?? []),
      case .string(let url)? = members["url"], let secret = url.split(separator: "#").last
    else { return "" }
    return String(secret)
  }

  func begin(
    _ link: String, fields: [(name: String, value: String)]? = nil, peer: String = "127.0.0.1"
  ) async -> Response {
    await send("POST", "/owner/session", fields: fields, body: #"{"link":"\#(link)"}"#, peer: peer)
  }

  /// Opens the page with a new link.
  func open(fields: [(name: String, value: String)]? = nil, peer: String = "127.0.0.1") async throws {
    let response = await begin(try await link(), fields: fields, peer: peer)
    cookie = response.fields["Set-Cookie"]?.split(separator: ";").first.map(String.init)
  }

  static let ofPage = [
    (name: "Host", value: "localhost:3000"), (name: "Origin", value: "http://localhost:3000"),
    (name: "Sec-Fetch-Site", value: "same-origin"), (name: "X-Owner-Page", value: "1"),
  ]

  /// - Parameter fields: those that a browser sends from the page if nil.
  func send(
    _ method: String, _ target: String, fields: [(name: String, value: String)]? = nil, body: String = "",
    peer: String = "127.0.0.1"
  ) async -> Response {
    let fields = (fields ?? Self.ofPage) + (cookie.map { [(name: "Cookie", value: "a=b; \($0)")] } ?? [])
    let request = Request(method, target, fields: fields, body: Array(body.utf8), peer: peer)
    return await page.respond(to: request) { _ in
      Response(status: .notFound, body: .bytes(Array(Self.elsewhere.utf8)))
    }
  }
}

extension Response {
  var text: String { String(decoding: body.content ?? [], as: UTF8.self) }
}
