import APITestSupport
import HTTPMessages
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

/// Lists that are kept are sent only while they are true.
@Suite struct PhotoListCacheTests {
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

  private func keptList(_ fields: [(name: String, value: String)] = []) -> Response? {
    api.application.respondAtOnce(request(fields))
  }

  /// Reads the list, which is kept from then on.
  private func read() async throws -> Response {
    let response = await api.application.respondWaiting(request())
    try #require(response.status == .ok)
    try #require(keptList() != nil)
    return response
  }

  @Test func `a list is sent again as it was`() async throws {
    #expect(keptList() == nil)
    let first = try await read()
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
      case .newPassword:
        let response = await api.send(
          "POST", "/api/reset_password", as: .holder(of: token),
          ["old_password": APIFixture.encrypt(APIFixture.password), "new_password": APIFixture.encrypt("other123")])
        #expect(response.status == .ok)
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
    let before = try await read()
    try await change.make(api, token: token, photo: photo)
    #expect(keptList() == nil)
    let after = await api.application.respond(request())
    #expect(after.status != .ok || after.content != before.content)
  }

  @Test func `a change of another user lets a list stand`() async throws {
    let other = try await api.newUser("john@example.com")
    _ = try await read()
    _ = try await api.newPhoto(token: other)
    #expect(keptList() != nil)
  }

  @Test func `a list is kept for the host for which it was made`() async throws {
    _ = try await read()
    let elsewhere = Request(
      "GET", "/api/get_photos", fields: [("Host", "other.example")] + APIFixture.Caller.holder(of: token).fields)
    #expect(api.application.respondAtOnce(elsewhere) == nil)
  }

  @Test(arguments: ["/api/get_photos?%", "/api/get_photos?x=1"])
  func `a request with parameters is looked at whole`(target: String) async throws {
    _ = try await read()
    #expect(api.application.respondAtOnce(APIFixture.request("GET", target, as: .holder(of: token))) == nil)
  }

  @Test func `no list is kept if something was committed while it was read`() async throws {
    let found = try await api.application.tokens.findWithPhotos(
      digest: Token.digest(of: Array(token.utf8)), max: 10, now: api.clock.now)
    _ = try await api.newPhoto(token: token)
    let call = Call(request: request(), id: nil, parsing: api.application.parsing)
    #expect(try await api.application.getPhotos(call, as: #require(found)).status == .ok)
    #expect(keptList() == nil)
  }

  @Test func `the lists that were used last are kept, within a limit`() throws {
    let cache = PhotoListCache()
    let json = [UInt8](repeating: 0x20, count: 60_000)
    func list(_ number: UInt8, _ second: UInt8 = 0) -> KnownPhotoList {
      let token = Token(
        digest: [number, second] + [UInt8](repeating: 0, count: 30), userID: 1, expiresAt: .max, createdAt: 0)
      return KnownPhotoList(token: token, host: [], changeCount: 0, json: json, tag: ETag(of: json))
    }
    let (used, unused) = (list(0), list(1))
    cache.insert(used)
    cache.insert(unused)
    for number in 2..<250 {
      for second in 0..<4 { cache.insert(list(UInt8(number), UInt8(second))) }
      #expect(cache[used.token.digest] != nil)
    }
    #expect(cache[unused.token.digest] == nil)
    #expect(cache[[UInt8](repeating: 9, count: 8) + [1]] == nil)
  }
}
