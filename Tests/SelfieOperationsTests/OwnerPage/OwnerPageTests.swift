import APITestSupport
import Foundation
import HTTPMessages
import SelfieAPI
import TestSupport
import Testing

@testable import SelfieOperations

@Suite struct `What the owner's page shows and does` {
  private let owner: OwnerPageFixture

  init() async throws {
    owner = try OwnerPageFixture(settings: [ShownSetting(name: "PORT", value: "3000", source: "the environment")])
    try await owner.open()
  }

  private func json(_ path: String) async throws -> NSDictionary {
    let bytes = await owner.send("GET", path).body.content ?? []
    return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
  }

  @Test(arguments: ["/owner", "/owner/", "/owner/files/owner.js", "/owner/files/page.css", "/owner/files/dom.js"])
  func `its files load nothing from elsewhere, and are shown in no frame`(path: String) async throws {
    let response = await owner.send("GET", path)
    #expect(response.status == .ok)
    let policy = try #require(response.fields["Content-Security-Policy"])
    #expect(policy.contains("default-src 'none'; script-src 'self'") && policy.contains("frame-ancestors 'none'"))
    #expect(response.fields["X-Frame-Options"] == "DENY")
    #expect(!response.text.contains(/(src|href)="https?:/))
  }

  @Test(arguments: [
    "/owner/files/home.js", "/owner/files/..", "/owner/files", "/owner/x", "/owner/api/x", "/owner/api",
  ])
  func `there is nothing else below it`(path: String) async throws {
    let response = await owner.send("GET", path)
    #expect(response.status == .notFound)
    #expect(response.text.hasPrefix(#"{"status":404,"#))
  }

  @Test func `it has the owner's commands, each logged as theirs`() async throws {
    let user = #"{"email":"ada@example.com","full_name":"Ada Lovelace","password":"secret12"}"#
    #expect(await owner.send("POST", "/owner/api/users", body: user).status == .ok)
    #expect(await owner.send("PUT", "/owner/api/users/ada%40example.com/disabled").status == .ok)
    #expect(await owner.send("GET", "/owner/api/users?limit=1").fields["X-Total-Count"] == "1")
    #expect(try await json("/owner/api/users/ada%40example.com")["disabled_at"] is String)
    #expect(await owner.send("DELETE", "/owner/api/users/ada%40example.com/disabled").status == .ok)
    #expect(await owner.send("DELETE", "/owner/api/users/ada%40example.com/tokens").status == .ok)
    #expect(await owner.send("DELETE", "/owner/api/tokens/0123456789abcdef").status == .notFound)
    #expect(await owner.send("GET", "/owner/api/photos").text == "[]")
    #expect(await owner.send("DELETE", "/owner/api/users/ada%40example.com").status == .ok)
    for command in ["user create", "user disable", "user enable", "user sign-out", "user delete"] {
      #expect(owner.api.log.lines.contains { $0.contains("owner's command: \(command)") }, "\(command)")
    }
  }

  @Test func `users are found by parts of their addresses and names, page by page`() async throws {
    for (email, name) in [("a@x.example", "Ada Lovelace"), ("b%_!@x.example", "Ada King"), ("C@x.example", "Élise")] {
      let user = #"{"email":"\#(email)","full_name":"\#(name)","password":"secret12"}"#
      #expect(await owner.send("POST", "/owner/api/users", body: user).status == .ok)
    }
    func found(_ query: String) async throws -> [String] {
      let response = await owner.send("GET", "/owner/api/users?\(query)")
      let users = try JSONSerialization.jsonObject(with: Data(response.body.content ?? [])) as? [[String: Any]]
      return (users ?? []).compactMap { $0["email"] as? String } + [response.fields["X-Total-Count"] ?? ""]
    }
    #expect(try await found("search=ADA") == ["a@x.example", "b%_!@x.example", "2"])
    #expect(try await found("search=ada&limit=1&after=a@x.example") == ["b%_!@x.example", "2"])
    #expect(try await found("search=%C3%89lISE") == ["C@x.example", "1"])
    #expect(try await found("search=c@X") == ["C@x.example", "1"])
    for text in ["%25", "_", "!", "ada%20king"] { #expect(try await found("search=\(text)").first == "b%_!@x.example") }
    #expect(try await found("search=nobody") == ["0"])
    #expect(await owner.send("GET", "/owner/api/users?search=%00").status == .badRequest)
  }

  @Test func `it shows how much is stored, and how that was`() async throws {
    #expect(try await json("/owner/api/history")["times"] as? [Int] == [])
    try await owner.page.takeSample()
    let user = #"{"email":"ada@example.com","full_name":"Ada Lovelace","password":"secret12"}"#
    #expect(await owner.send("POST", "/owner/api/users", body: user).status == .ok)
    try await owner.page.takeSample()
    #expect(try await json("/owner/api/history")["users"] as? [Int] == [0, 1])
    #expect(try await json("/owner/api/status")["users"] as? Int == 1)
  }

  @Test func `it shows the settings in force`() async throws {
    let settings = try await json("/owner/api/settings")["settings"] as? [[String: String]]
    #expect(settings == [["name": "PORT", "value": "3000", "source": "the environment"]])
  }

  @Test func `it counts the requests of the last minute while it is open`() async throws {
    for _ in 0..<3 { _ = await owner.send("GET", "/up") }
    let requests = try #require(try await json("/owner/api/activity")["requests"] as? [String: Any])
    #expect(requests["count"] as? Int == 3)
    #expect(requests["median_microseconds"] is Int)
  }

  @Test func `it shows the last fifty errors without ids of photos`() async throws {
    var fields = ResponseFields()
    fields.append("X-Request-Id", "the id")
    let failure = Response(status: .internalServerError, fields: fields)
    let path = "/photos/\(String(repeating: "x", count: 41))?token=secret"
    for _ in 0..<60 { _ = await owner.page.respond(to: Request("GET", path)) { _ in failure } }
    let errors = try #require(try await json("/owner/api/activity")["errors"] as? [[String: Any]])
    #expect(errors.count == 50)
    #expect(errors[0]["path"] as? String == "/photos/…")
    #expect(errors[0]["status"] as? Int == 500)
    #expect(errors[0]["request_id"] as? String == "the id")
  }

  @Test func `it shows what the server has refused before there was a request, where the server is at fault`()
    async throws
  {
    var fields = ResponseFields()
    fields.append("X-Request-Id", "the id")
    let busy = Response(status: .serviceUnavailable, fields: fields)
    owner.page.noteError(Response(status: .badRequest), to: nil)
    owner.page.noteError(busy, to: nil)
    owner.page.noteError(busy, to: Request("POST", "/api/upload_photo?token=secret").head)
    let errors = try #require(try await json("/owner/api/activity")["errors"] as? [[String: Any]])
    #expect(errors.map { $0["path"] as? String } == ["/api/upload_photo", nil])
    #expect(errors.map { $0["method"] as? String } == ["POST", nil])
    #expect(errors.map { $0["status"] as? Int } == [503, 503])
    #expect(errors.map { $0["request_id"] as? String } == ["the id", "the id"])
  }

  @Test(arguments: ["/owner", "/owner/files/owner.js", "/owner/x", "/owner/api/users", "/owner/session"])
  func `each of its responses has the request's id`(path: String) async throws {
    let given = OwnerPageFixture.ofPage + [(name: "X-Request-Id", value: "the-clients-own")]
    for method in ["GET", "POST"] {
      #expect(await owner.send(method, path, fields: given).fields["X-Request-Id"] == "the-clients-own")
      #expect(await owner.send(method, path).fields["X-Request-Id"]?.utf8.count == 32)
    }
  }

  @Test func `requests are counted for as long as it is open, and for a minute at most`() async throws {
    func seconds() async throws -> Int? {
      (try await json("/owner/api/activity")["requests"] as? NSDictionary)?["seconds"] as? Int
    }
    #expect(try await seconds() == 1)
    owner.clock.advance(milliseconds: 20_000)
    #expect(try await seconds() == 20)
    owner.clock.advance(milliseconds: 60_000)
    #expect(try await seconds() == 60)
    #expect(await owner.send("DELETE", "/owner/session").status == .ok)
    try await owner.open()
    #expect(try await seconds() == 1)
  }

  @Test func `samples and times are bounded`() {
    let activity = ServerActivity()
    for time in 0..<2000 {
      activity.add(.init(time: Int64(time), users: 0, photos: 0, bytes: 0, refusedSignIns: 0))
    }
    #expect(activity.samples.map(\.time) == Array(560..<2000))

    var times = RecentTimes(seconds: 60)
    for second in 0..<100 { times.add(microseconds: second == 99 ? 5000 : 300, at: Int64(second)) }
    let summary = times.summary(at: 99)
    #expect(summary.count == 60)
    #expect(summary.microseconds(ofPercent: 50) == 512)
    #expect(summary.microseconds(ofPercent: 99) == 8192)
    #expect(times.summary(at: 200).microseconds(ofPercent: 50) == nil)
  }
}
