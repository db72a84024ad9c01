import APITestSupport
import HTTPMessages
import Platform
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

/// Long lists of the Notes and the Microblog app.
@Suite(.eachDatabase, .timeLimit(.minutes(10))) struct LongFamilyListsTests {
  private static let cookie = String(repeating: "c", count: MicroblogSession.cookieLength)
  private static let text = String(repeating: "<", count: 500)
  private static let names = (0..<1000).map { "\(1000 + $0)" + String(repeating: "n", count: 200) }

  /// A hundred notes of jane and posts of ada, and a thousand users besides her.
  private static func filled(_ api: APIFixture) async throws {
    try await api.signUp()
    try await insertUsers(["ada"] + names, into: api)
    try await insertPosts((0..<100).map { "\($0) \(text)" }, into: api)
    let now = api.clock.now
    try await api.application.database.write(about: .all) { tx in
      let digest = MicroblogSession.digest(of: Array(cookie.utf8))
      try tx.insert(MicroblogSession(digest: digest, userID: 1, createdAt: now, usedAt: now))
      try tx.insert((0..<100).map { Note(userID: 1, title: "\($0)", body: text, createdAt: now) })
    }
    // The notes have not changed just now.
    api.clock.advance(seconds: 10)
  }

  private static func insertUsers(_ names: [String], into api: APIFixture) async throws {
    let users = names.map { MicroblogUser(name: $0, passwordHash: "", createdAt: api.clock.now) }
    try await api.application.database.write(about: .all) { try $0.insert(users) }
  }

  /// Inserts posts of the first user.
  private static func insertPosts(_ texts: [String], into api: APIFixture) async throws {
    let posts = texts.map {
      Blogpost(uuid: api.application.random.uuid(), userID: 1, text: $0, createdAt: api.clock.now)
    }
    try await api.application.database.write(about: .all) { try $0.insert(posts) }
  }

  private static func list(
    _ path: String, _ api: APIFixture, _ fields: [(name: String, value: String)] = []
  ) async -> Response {
    let credentials = NotesTests.Client(api: api).credentials
    let separator = path.contains("?") ? "&" : "?"
    return await api.get(
      "\(path)\(separator)token=token", fields: [credentials, ("Cookie", "auth_tkt=\(cookie)")] + fields)
  }

  /// The texts of a member of a list's elements.
  private static func texts(_ member: String, _ response: Response) async throws -> [String] {
    var list = try await response.fetched().json
    while case .object(let members) = list, let inner = members.first?.value { list = inner }
    guard case .array(let elements) = list else { return [] }
    return elements.compactMap { element in
      guard case .object(let members) = element, case .string(let text)? = members[member] else { return nil }
      return text
    }
  }

  @Test func `each element is in its list once, and in its place`() async throws {
    let api = try APIFixture()
    try await Self.filled(api)
    #expect(try await Self.texts("title", Self.list("/notes.json", api)) == (0..<100).map { "\($0)" })
    let posts = (0..<100).map { "\($0) \(Self.text)" }
    #expect(try await Self.texts("text", Self.list("/blogposts", api)) == posts.reversed())
    #expect(try await Self.texts("text", Self.list("/blogposts?limit=70", api)) == Array(posts.reversed().prefix(70)))
    #expect(try await Self.texts("name", Self.list("/users", api)) == Self.names)
    let users = "/users?limit=700&after=\(Self.names[99])"
    #expect(try await Self.texts("name", Self.list(users, api)) == Array(Self.names[100..<800]))
    #expect(
      try await Self.texts("name", Self.list("/users?after=\(Self.names[998])", api)) == [Self.names[999], "ada"])
  }

  @Test(arguments: ["/notes.json", "/blogposts", "/users"])
  func `a list that has not changed is 304`(path: String) async throws {
    let api = try APIFixture()
    try await Self.filled(api)
    let response = await Self.list(path, api)
    #expect(response.body.length == nil)
    let tag = try #require(response.fields["ETag"])
    #expect(await Self.list(path, api, [("If-None-Match", tag)]).status == .notModified)
    try await Self.insertUsers(["0"], into: api)
    try await Self.insertPosts(["new"], into: api)
    let status = await Self.list(path, api, [("If-None-Match", tag)]).status
    // The notes of others are not listed.
    #expect(status == (path == "/notes.json" ? .notModified : .ok))
  }

  @Test func `notes that were changed in the last second have no ETag, since they may change again at once`()
    async throws
  {
    let api = try APIFixture()
    try await Self.filled(api)
    let tag = try #require(await Self.list("/notes.json", api).fields["ETag"])
    let client = NotesTests.Client(api: api)
    for _ in 0..<2 {
      let changed = await client.send("PUT", "/notes/7.json", form: "token=token&note[title]=6")
      #expect(changed.status == .noContent, "\(changed.text)")
      let response = await Self.list("/notes.json", api, [("If-None-Match", tag)])
      #expect(response.status == .ok && response.fields["ETag"] == nil)
    }
    api.clock.advance(milliseconds: 1_001)
    let changed = try #require(await Self.list("/notes.json", api).fields["ETag"])
    #expect(changed != tag)
    #expect(await Self.list("/notes.json", api, [("If-None-Match", changed)]).status == .notModified)
  }

  @Test(.fileOnly) func `posts that together are larger than the memory for clients are served`() async throws {
    let memory = MemoryBudget(limit: 1 << 20)
    let api = try APIFixture(memory: memory)
    let post = String(repeating: "<", count: Blogpost.maxTextBytes)
    try await Self.insertUsers(["ada"], into: api)
    try await Self.insertPosts([String](repeating: post, count: 60), into: api)
    try await api.serve { port in
      let client = try await RawClient.connect(to: port, receiveBuffer: 16 * 1024, tls: nil)
      try await client.send("GET /blogposts HTTP/1.1\r\nHost: h\r\n\r\n")
      let response = try await client.response()
      #expect(response.status == 200 && response.body.count > 3 << 20)
      client.close()
    }
    #expect(memory.peakBytes < memory.limit)
  }

  @Test(.fileOnly) func `a database that fails in the middle of a list ends it, and is logged`() async throws {
    let api = try APIFixture()
    let post = String(repeating: "<", count: Blogpost.maxTextBytes)
    try await Self.insertUsers(["ada"], into: api)
    try await Self.insertPosts([String](repeating: post, count: 60), into: api)
    let pages = try #require(await api.get("/blogposts").pages)
    _ = try await pages.piece(at: 0, count: BodyStream.maxPieceBytes)
    try await api.application.database.run([Query("DROP TABLE blogposts")])
    do throws(BodyStream.Failure) {
      _ = try await pages.piece(at: 0, count: BodyStream.maxPieceBytes)
      Issue.record("there is a page of a table that is gone")
    } catch {
      // As the server does.
      pages.end(error)
    }
    #expect(api.log.lines.contains { $0.contains("a list was not sent completely") })
  }
}
