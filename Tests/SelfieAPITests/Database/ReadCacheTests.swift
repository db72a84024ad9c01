import APITestSupport
import HTTPMessages
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

/// What is kept is sent only while it is true.
@Suite struct ReadCacheTests {
  private let api: APIFixture
  private let token: String
  private let photo: String

  init() async throws {
    (api, token) = try await APIFixture.withUser()
    photo = try await api.newPhoto(token: token)
  }

  private func request(_ fields: [(name: String, value: String)] = []) -> Request {
    APIFixture.request("GET", "/api/get_photos", as: .holder(of: token), fields: fields)
  }

  private func responseNow(to request: Request) -> Response? {
    if case .now(let response) = api.application.reply(to: request) { response } else { nil }
  }

  private func isKept(for request: Request) -> Bool {
    api.application.keptPhotos(request, as: Token.digest(of: Array(token.utf8))) != nil
  }

  private func keptList(_ fields: [(name: String, value: String)] = []) -> Response? {
    isKept(for: request(fields)) ? responseNow(to: request(fields)) : nil
  }

  /// Reads the list, which is kept from then on.
  private func read() throws -> Response {
    let response = try #require(responseNow(to: request()))
    try #require(response.status == .ok)
    try #require(isKept(for: request()))
    return response
  }

  @Test func `a list is sent again as it was`() async throws {
    #expect(keptList() == nil)
    let first = try read()
    let again = try #require(keptList())
    #expect(again.status == .ok)
    #expect(again.content == first.content)
    let names = ["ETag", "Content-Type", "Cache-Control", "X-Frame-Options", "X-Content-Type-Options"]
    #expect(names.map { again.fields[$0] } == names.map { first.fields[$0] })
    #expect(again.fields["X-Request-Id"]?.count == 32 && again.fields["X-Runtime"] != nil)
    let tag = try #require(first.fields["ETag"])
    #expect(keptList([("If-None-Match", tag)])?.status == .notModified)
  }

  enum Change: CaseIterable {
    case upload, deletion, deletionByOwner, newPassword, signOut, disabling, removal, seed, reset, expiry

    func make(_ api: APIFixture, token: String, photo: String) async throws {
      let (users, email) = (api.application.users, "jane@example.com")
      switch self {
      case .upload: _ = try await api.newPhoto(token: token)
      case .deletion: #expect(await api.deletePhoto(photo, token: token).status == .ok)
      case .deletionByOwner: #expect(try await api.application.photos.store.remove(randomID: photo, as: nil))
      case .newPassword: #expect(await api.resetPassword(as: .holder(of: token)).status == .ok)
      case .signOut: #expect(await api.get("/api/clear_token", as: .holder(of: token)).status == .ok)
      case .disabling: _ = try await users.setDisabled(at: api.clock.now, of: email)
      case .removal: _ = try await users.remove(email: email, now: api.clock.now)
      case .seed:
        // As the control interface writes: it does not say what it changes.
        try await api.database.write { try $0.run(Query("DELETE FROM photos")) }
      case .reset: _ = try await api.state.reset()
      case .expiry: api.clock.advance(milliseconds: 86_400_000)
      }
    }
  }

  @Test(arguments: Change.allCases)
  func `no list is sent that was true before a change`(change: Change) async throws {
    let before = try read()
    try await change.make(api, token: token, photo: photo)
    #expect(keptList() == nil)
    let after = await api.application.respond(request())
    #expect(after.status != .ok || after.content != before.content)
  }

  @Test func `a list stands when another user changes something, for the host for which it was made`() async throws {
    let other = try await api.newUser("john@example.com")
    _ = try read()
    _ = try await api.newPhoto(token: other)
    #expect(keptList() != nil)
    let elsewhere = Request(
      "GET", "/api/get_photos", fields: [("Host", "other.example")] + APIFixture.Caller.holder(of: token).fields)
    #expect(!isKept(for: elsewhere))
  }

  @Test func `a list is counted with the host for which it was made`() async throws {
    // Of a user without photos, so that no list has its host.
    _ = try await api.newUser("john@example.com")
    let others = (0..<600).map { "token\($0)" }
    try await api.database.write { tx in
      for other in others {
        let digest = Token.digest(of: Array(other.utf8))
        try tx.insert(Token(digest: digest, userID: 2, expiresAt: api.clock.now + 1000, createdAt: api.clock.now))
      }
    }
    _ = try read()
    let host = ("Host", String(repeating: "a", count: 30_000))
    for other in others {
      let request = Request("GET", "/api/get_photos", fields: [host] + APIFixture.Caller.holder(of: other).fields)
      #expect(responseNow(to: request)?.status == .ok)
    }
    #expect(!isKept(for: request()))
  }

  @Test(arguments: ["/api/get_photos?%", "/api/get_photos?x=1"])
  func `a request with parameters is looked at whole`(target: String) async throws {
    _ = try read()
    #expect(!isKept(for: APIFixture.request("GET", target, as: .holder(of: token))))
  }

  @Test func `a list is read at once as it is read for a request that may have to wait`() async throws {
    let atOnce = try #require(responseNow(to: request()))
    let waiting = await api.send("GET", "/api/get_photos", as: .holder(of: token), [:])
    #expect(atOnce.content == waiting.content)
    let names = ["ETag", "Content-Type", "Cache-Control"]
    #expect(names.map { atOnce.fields[$0] } == names.map { waiting.fields[$0] })
  }

  @Test(arguments: [Change.signOut, .disabling, .removal, .expiry])
  func `no error is told at once`(change: Change) async throws {
    try await change.make(api, token: token, photo: photo)
    #expect(responseNow(to: request()) == nil)
  }

  @Test func `a photo is sent again without a look at its row, until it is deleted`() async throws {
    func keptPhoto(_ fields: [(name: String, value: String)] = []) -> Response? {
      responseNow(to: APIFixture.request("GET", "/photos/\(photo)", fields: fields))
    }
    #expect(keptPhoto() == nil)
    let first = await api.get("/photos/\(photo)")
    let again = try #require(keptPhoto())
    #expect(first.status == .ok && again.status == .ok)
    #expect(again.body.length == first.body.length)
    let names = ["ETag", "Last-Modified", "Content-Type", "Content-Disposition", "Content-Security-Policy"]
    #expect(names.map { again.fields[$0] } == names.map { first.fields[$0] })
    #expect(keptPhoto([("If-None-Match", "\"\(photo)\"")])?.status == .notModified)
    #expect(await api.deletePhoto(photo, token: token).status == .ok)
    #expect(keptPhoto() == nil)
  }

  @Test func `nothing is kept if something was committed while it was read`() async throws {
    let cache = ReadCache<Int>(of: api.application.database, maxBytes: 1000)
    let (id, start) = ([UInt8](repeating: 1, count: 32), cache.beginReading())
    _ = try await api.newPhoto(token: token)
    cache.keep(1, as: id, of: 1, byteCount: 1, readSince: start)
    #expect(cache[id] == nil)
    cache.keep(1, as: id, of: 1, byteCount: 1, readSince: cache.beginReading())
    #expect(cache[id] == 1)
  }

  @Test func `the values that were used last are kept, within a limit`() {
    let cache = ReadCache<Int>(of: api.application.database, maxBytes: 100_000)
    func id(_ number: Int) -> [UInt8] { [UInt8(number / 256), UInt8(number % 256)] + [UInt8](repeating: 0, count: 30) }
    for number in 0..<1000 {
      cache.keep(number, as: id(number), of: 1, byteCount: 500, readSince: cache.beginReading())
      #expect(cache[id(0)] == 0)
    }
    #expect((1..<1000).filter { cache[id($0)] != nil }.count < 100)
    #expect(cache[id(999)] == 999)
    #expect(cache[id(999).dropLast() + [1]] == nil)
  }
}
