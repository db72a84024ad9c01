import Cryptography
import Foundation
import Testing

@testable import SelfieTestControl

/// What the journal notes of the Notes and the Microblog app, without their secrets.
@Suite(.timeLimit(.minutes(10))) struct FamiliesRecordingTests {
  private static let cookie = String(repeating: "aB3", count: 10) + "xy"
  let fixture: Fixture
  var journal: Journal { fixture.worlds.main.journal }

  init() throws { fixture = try Fixture() }

  private func newest() throws -> Exchange { try #require(journal.exchange(journal.lastID)) }

  @discardableResult
  private func send(
    _ method: String, _ target: String, type: String? = nil, _ body: String = "", _ fields: [(String, String)] = []
  ) async throws -> Int {
    let type = type.map { [("Content-Type", $0)] } ?? []
    let response = await fixture.send(method, target, body, fields: [("Host", "localhost:3000")] + type + fields)
    let exchange = try newest()
    let text = "\(exchange.query) \(exchange.fields) \(exchange.body) \(exchange.message ?? "")"
    for secret in ["open sesame", "sesame", Self.cookie] { #expect(!text.contains(secret)) }
    return response.status
  }

  @Test func `a user's Basic credentials are told by the address only`() async throws {
    let credentials = Base64.encode(Array("jane@example.com:open sesame".utf8))
    let status = try await send(
      "POST", "/notes.json?token=token", type: "application/x-www-form-urlencoded",
      "note[title]=Milk&note[body]=open%20sesame", [("Authorization", "Basic \(credentials)")])
    #expect(status == 401)
    let exchange = try newest()
    #expect(exchange.field("Authorization") == "Basic (password of jane@example.com)")
    #expect(exchange.error == "wrong_password")
    #expect(exchange.message == "Wrong email address or password.")
    for field in exchange.fields { #expect(!field.value.contains("sesame")) }
  }

  @Test func `a password of Microblog is not told, wherever it is sent`() async throws {
    let json = #"{"name":"ada","password":"open sesame"}"#
    #expect(try await send("POST", "/users/register", type: "application/json", json) == 200)
    #expect(try newest()["name"] == "ada")
    #expect(try newest()["password"]?.contains("sesame") == false)
    let form = "name=ada&password=open%20sesame"
    #expect(try await send("POST", "/users/login", type: "application/x-www-form-urlencoded", form) == 200)
    #expect(try newest()["password"]?.contains("sesame") == false)
    #expect(try await send("POST", "/users/login?\(form)") == 200)
    #expect(try newest().query["password"] != .text("open sesame"))
  }

  @Test func `a session's cookie is not told, wherever it is sent`() async throws {
    _ = await fixture.send(
      "POST", "/__admin/seed", #"{"microblog":{"users":[{"name":"ada","sessions":["\#(Self.cookie)"]}]}}"#)
    let cookie = ("Cookie", "other=1; auth_tkt=\(Self.cookie)")
    #expect(try await send("GET", "/users?x=\(Self.cookie)", "", [cookie]) == 200)
    let exchange = try newest()
    #expect(exchange.field("Cookie") == "(…)")
    #expect(exchange.query["x"] == .text("(…)"))
    #expect(
      try await send("POST", "/blogposts", type: "application/json", #"{"text":"it is \#(Self.cookie)"}"#, [cookie])
        == 200)
    #expect(try newest()["text"] == "it is (…)")
  }

  @Test func `a request for notes is found by its plain path`() async throws {
    for path in ["/notes.json", "//notes/", "/notes"] { try await send("GET", path) }
    try await send("GET", "/notes/7.json")
    try await send("GET", "/notes.d/7.json")
    #expect(journal.count(matching: ExchangeFilter(path: "/notes")) == 3)
    #expect(journal.count(matching: ExchangeFilter(path: "/notes/7")) == 1)
    #expect(journal.count(matching: ExchangeFilter(path: "/notes.json")) == 1)
  }
}
