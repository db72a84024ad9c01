import APITestSupport
import HTTPMessages
import TestSupport
import Testing

@testable import SelfieAPI

/// The tables and what is asked of them.
@Suite struct StoresTests {
  @Test func `a record comes back with every column as it was inserted`() async throws {
    let api = try APIFixture()
    let user = User(
      id: 7, email: "a@b.c", firstName: "F", lastName: "L", passwordHash: "H", createdAt: 1, updatedAt: 2,
      disabledAt: 3)
    let token = Token(digest: [1, 2], userID: 7, expiresAt: 3, createdAt: 4)
    let photo = Photo(
      id: 9, randomID: "r", userID: 7, name: "n", title: "t", byteCount: 5, contentType: "c", createdAt: 6,
      updatedAt: 7, sha256: [8])
    try await api.database.write { connection in
      try connection.insert(user)
      try connection.insert(token)
      try connection.insert(photo)
    }
    #expect(try api.database.read { try $0.all(UserStore.page()) } == [user])
    #expect(try api.database.read { try $0.all(TokenStore.page()) } == [token])
    #expect(try api.database.read { try $0.all(PhotoStore.page()) } == [photo])
  }

  @Test func `no new photo takes an id that another one keeps`() async throws {
    let api = try APIFixture()
    func photo(_ id: Int64, _ randomID: String) -> Photo {
      Photo(
        id: id, randomID: randomID, userID: 1, name: nil, title: "", byteCount: 0, contentType: "", createdAt: 0)
    }
    let photos = [photo(0, "new"), photo(1, "first")]
    try await api.database.write { connection in
      try connection.insert(User(email: "a@b.c", passwordHash: "", createdAt: 0))
      try connection.insert(photos)
    }
    let ids = try api.database.read { try $0.all(PhotoStore.page(), as: Photo.self).map(\.randomID) }
    #expect(ids == ["first", "new"])
  }

  @Test func `of two sign-ups with one address at the same time, one is told that it is taken`() async throws {
    let api = try APIFixture()
    let parameters = [
      "full_name": "Jane", "email": "jane@example.com", "password": APIFixture.encrypt(APIFixture.password),
    ]
    let signUp = { @Sendable in await api.send("POST", "/api/signup", as: .app, parameters) }
    let responses = try await api.queued([signUp, signUp])
    #expect(responses.map(\.status) == [.ok, .badRequest])
    #expect(responses[1].message == "email - has already been taken,")
    #expect(try api.count("SELECT count(*) FROM users") == 1)
  }
}
