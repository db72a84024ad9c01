import APITestSupport
import Foundation
import Glibc
import HTTPMessages
import SelfieAPI
import TestSupport
import Testing

@testable import SelfieOperations

@Suite struct `What the owner's page shows and does` {
  private let owner: OwnerPageFixture

  init() async throws {
    owner = try OwnerPageFixture(settings: [
      ShownSetting(subject: "Addresses", name: "PORT", value: "3000", source: "the environment")
    ])
    try await owner.open()
  }

  private func reply(_ command: String) async throws -> [String: Any] {
    let bytes = await owner.run(command).body.content ?? []
    return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  private func result<Result>(of command: String, as _: Result.Type = Result.self) async throws -> Result {
    try #require(try await reply(#"{"\#(command)":{}}"#)["result"] as? Result)
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

  @Test(arguments: ["/owner/files/home.js", "/owner/files/..", "/owner/files", "/owner/x", "/owner/commands/x"])
  func `there is nothing else below it`(path: String) async throws {
    for method in ["GET", "POST"] {
      let response = await owner.send(method, path)
      #expect(response.status == .notFound)
      #expect(response.text.hasPrefix(#"{"status":404,"#))
    }
  }

  @Test func `it has the owner's commands, each logged as theirs`() async throws {
    let ada = #"{"email":"ada@example.com"}"#
    for (command, reply) in [
      (Self.createAda, #"{"summary":"ada@example.com can sign in now.","total":null,"result":{"id":1,"#),
      (#"{"listUsers":{"limit":1}}"#, #"{"summary":null,"total":1,"result":[{"id":1,"#),
      (
        #"{"disableUser":\#(ada)}"#,
        #"{"summary":"ada@example.com is disabled.","total":null,"result":{"email":"ada@example.com","disabled_at":"20"#
      ), (#"{"enableUser":\#(ada)}"#, #"{"summary":"ada@example.com is enabled.","#),
      (#"{"signOut":\#(ada)}"#, #"{"summary":"0 tokens of ada@example.com ended.","#),
      (#"{"revokeToken":{"id":"0123456789abcdef"}}"#, #"{"status":404,"message":"There is no token 0123456789abcdef."#),
      (#"{"listPhotos":{"limit":1}}"#, #"{"summary":null,"total":0,"result":[]}"#),
      (#"{"deleteUser":\#(ada)}"#, #"{"summary":"ada@example.com is deleted.","#),
    ] {
      let text = await owner.run(command).text
      #expect(text.hasPrefix(reply), "\(text)")
    }
    for command in ["user create", "user disable", "user enable", "user sign-out", "user delete"] {
      #expect(owner.api.log.lines.contains { $0.contains("owner's command: \(command)") }, "\(command)")
    }
  }

  private static let createAda =
    #"{"createUser":{"email":"ada@example.com","fullName":"Ada Lovelace","password":"secret12"}}"#

  @Test(arguments: [
    "", "{", "[]", "{}", #"{"fly":{}}"#, #"{"showUser":{}}"#, #"{"showUser":{"email":1}}"#,
    #"{"listUsers":{"limit":0}}"#, #"{"listUsers":{"limit":100001}}"#, #"{"listUsers":{"limit":1,"search":"\u0000"}}"#,
    #"{"status":{},"activity":{}}"#, #"{"history":{}}"#,
    #"{"listUsers":{"limit":1,"search":"\#(String(repeating: "a", count: 50_000))"}}"#,
  ])
  func `what is no command is refused`(json: String) async {
    #expect(await owner.run(json).status == .badRequest)
  }

  @Test func `a command has a limit on its length, before it is read`() async {
    let long = String(repeating: " ", count: OwnerCommand.maxJSONBytes)
    #expect(await owner.run(long + Self.createAda).status == .contentTooLarge)
  }

  @Test func `users are found by parts of their addresses and names`() async throws {
    for (email, name) in [("a@x.example", "Ada Lovelace"), ("b%_!@x.example", "Ada King"), ("C@x.example", "Élise")] {
      let user = #"{"email":"\#(email)","fullName":"\#(name)","password":"secret12"}"#
      #expect(await owner.run(#"{"createUser":\#(user)}"#).status == .ok)
    }
    func found(_ search: String, limit: Int = 9) async throws -> [String] {
      let reply = try await reply(#"{"listUsers":{"search":"\#(search)","limit":\#(limit)}}"#)
      let users = try #require(reply["result"] as? [[String: Any]])
      return users.compactMap { $0["email"] as? String } + ["\(reply["total"] ?? "")"]
    }
    #expect(try await found("ADA") == ["a@x.example", "b%_!@x.example", "2"])
    #expect(try await found("ada", limit: 1) == ["a@x.example", "2"])
    #expect(try await found("ÉlISE") == ["C@x.example", "1"])
    #expect(try await found("c@X") == ["C@x.example", "1"])
    for text in ["%", "_", "!", "ada king"] { #expect(try await found(text).first == "b%_!@x.example") }
    #expect(try await found("nobody") == ["0"])
  }

  @Test func `photos are listed page by page, the newest first`() async throws {
    #expect(await owner.run(Self.createAda).status == .ok)
    let photos = ["a", "b", "c"].map { letter in
      Photo(
        randomID: String(repeating: letter, count: Photo.idLength), userID: 1, name: nil, title: letter, byteCount: 1,
        contentType: "image/png", createdAt: 0)
    }
    try await owner.api.application.database.write(about: .all) { try $0.insert(photos) }
    for email in ["", #""email":"ada@example.com","#] {
      for (before, titles) in [("", ["c", "b"]), (#""before":2,"#, ["a"])] {
        let reply = try await reply("{\"listPhotos\":{\(email)\(before)\"limit\":2}}")
        #expect((reply["result"] as? [[String: Any]])?.map { $0["title"] as? String } == titles)
        #expect(reply["total"] as? Int == 3)
      }
    }
  }

  @Test func `it shows what a quick check finds`() async throws {
    _ = try StoragePermissions(storage: owner.api.folder.path).close()
    #expect(try await result(of: "check", as: [Any].self).isEmpty)
    try #require(chmod("\(owner.api.folder.path)/selfie.sqlite3", 0o644) == 0)
    let findings = try await result(of: "check", as: [[String: Any]].self)
    #expect(findings.map { $0["kind"] as? String } == ["permissions"])
  }

  @Test func `it downloads a whole backup, or says why there is none`() async throws {
    #expect(await owner.run(Self.createAda).status == .ok)
    let cookie = owner.cookie
    func download() async throws -> Response {
      owner.cookie = cookie
      let path = try JSONReader.read(await owner.send("POST", "/owner/backup").body.content ?? [])[member: "path"]
      guard case .string(let path)? = path else { throw NotPossible("There is no path.") }
      owner.cookie = nil
      let response = await owner.send("GET", path, fields: [("Host", "localhost:3000")])
      #expect(await owner.send("GET", path).status == .unauthorized)
      return response
    }
    let response = try await download()
    #expect(response.fields["Content-Type"] == "application/x-tar")
    guard case .pages(let stream) = response.body else { throw NotPossible(response.text) }
    let folder = try TemporaryFolder()
    try folder.write(try await stream.collect(), to: "backup.tar")
    try folder.makeFolder("restored")
    let source = try BackupSource.newest(at: "\(folder.path)/backup.tar", skipsDamaged: false)
    #expect(try BackupCheck(source, skipsDamaged: false).run(in: "\(folder.path)/restored").users == 1)
    #expect(owner.api.log.lines.contains { $0.contains("owner's command: owner's page: backup") })

    try owner.api.folder.move("selfie.sqlite3", to: "elsewhere")
    let refusal = try await download()
    #expect(refusal.status == .conflict)
    #expect(refusal.text.contains("There is no storage in"))
    #expect(await owner.send("POST", "/owner/backup").status == .unauthorized)
    let ticket = owner.sessions.make(.ticket)
    owner.clock.advance(milliseconds: OwnerSessions.ticketLifetime)
    #expect(await owner.send("GET", "/owner/backup/\(ticket)").status == .unauthorized)
  }

  @Test(.timeLimit(.minutes(10)))
  func `of many backups at once one is made, and none keeps the server from stopping`() async throws {
    // More than a socket holds.
    _ = try await owner.api.newPhoto(Samples.bytes(4_000_000), token: owner.api.newUser())
    let backup = { @Sendable [console = owner.console] in
      do { return try await console.backup() } catch {
        return console.application.response(to: error, of: Request("POST", "/"))
      }
    }
    do {
      let first = try await owner.console.backup()
      #expect(first.status == .ok)
      let requests = (0..<12).map { _ in Task { await backup() } }
      for request in requests { #expect(await request.value.status == .conflict) }
      withExtendedLifetime(first) {}
    }
    // The client of the first one has gone away, and has not read it to its end.
    try await Blocking.run { [console = owner.console] in console.stop() }
  }

  @Test func `it shows how much is stored`() async throws {
    #expect(await owner.run(Self.createAda).status == .ok)
    #expect(try await result(of: "status", as: [String: Any].self)["users"] as? Int == 1)
  }

  @Test func `it shows the settings in force`() async throws {
    let settings = try await result(of: "settings", as: [[String: String]].self)
    #expect(settings == [["subject": "Addresses", "name": "PORT", "value": "3000", "source": "the environment"]])
  }

  @Test func `it shows the constants, which are logged without their values`() async throws {
    let constants = try await result(of: "constants", as: [String: Any].self)
    #expect(constants["api_auth_password"] as? String == APIFixture.authPassword)
    #expect(owner.api.log.lines.contains { $0.contains("owner's command: constants") })
    #expect(!owner.api.log.lines.contains { $0.contains(APIFixture.authPassword) })
  }

  @Test func `it shows why requests were refused, and who had sent them`() async throws {
    let token = try await owner.api.newUser()
    let context = RequestContext()
    context.note { ($0.route, $0.userID) = ("/api/get_photos", 1) }
    let request = Request("GET", "/api/get_photos?secret")
    let known = Request(head: request.head, body: .none, peer: "192.0.2.1", context: context)
    for request in [request, known] {
      _ = await owner.page.handle(request, next: owner.api.application.reply(to:)).response
    }
    // Before there was a request.
    var refusal = owner.api.application.refuse(.badRequest, "It begins like HTTPS.")
    owner.page.handle(refusal: &refusal, of: RefusedRequest(head: nil, peer: "192.0.2.2", context: nil))
    let refusals = try await result(of: "why", as: [[String: Any]].self)
    #expect(refusals.map { $0["status"] as? Int } == [400, 401, 401])
    #expect(refusals.map { $0["route"] as? String } == [nil, "/api/get_photos", "/api/get_photos"])
    #expect(refusals.map { $0["email"] as? String } == [nil, "jane@example.com", nil])
    #expect(refusals.map { $0["client"] as? String } == ["192.0.2.2", "192.0.2.1", "127.0.0.1"])
    #expect((refusals[1]["detail"] as? String)?.hasPrefix("no Authorization; GET /api/get_photos needs") == true)
    #expect((refusals[0]["request_id"] as? String)?.count == 32)
    #expect(!"\(refusals)".contains("secret") && !"\(refusals)".contains(token))
    let number = try #require(refusals[0]["number"] as? Int)
    #expect(try await reply(#"{"why":{"after":\#(number)}}"#)["result"] as? [String] == [])
  }

  @Test(arguments: ["/owner", "/owner/files/owner.js", "/owner/x", "/owner/commands", "/owner/session"])
  func `each of its responses has the request's id`(path: String) async throws {
    let given = OwnerPageFixture.ofPage + [(name: "X-Request-Id", value: "the-clients-own")]
    for method in ["GET", "POST"] {
      #expect(await owner.send(method, path, fields: given).fields["X-Request-Id"] == "the-clients-own")
      #expect(await owner.send(method, path).fields["X-Request-Id"]?.utf8.count == 32)
    }
  }
}
