import APITestSupport
import HTTPMessages
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

/// get_photos around the length up to which a list is sent as a whole, and beyond it.
@Suite(.eachDatabase) struct LongListTests {
  private static let maxRows = Int(ListPageLimits.maxRows)

  private struct User {
    let api: APIFixture
    let token: String

    init() async throws {
      api = try APIFixture()
      token = try await api.newUser()
    }

    func list(_ fields: [(name: String, value: String)] = []) async -> Response {
      await api.get("/api/get_photos", as: .holder(of: token), fields: fields)
    }

    func tag() async throws -> String { try #require(await list().fields["ETag"]) }

    /// Inserts photos with these numbers.
    @discardableResult
    func insert(_ numbers: Range<Int>, title: String = "<t>") async throws -> [String] {
      let ids = numbers.map { String(repeating: "a", count: Photo.idLength - 4) + letters($0) }
      let photos = ids.map {
        Photo(randomID: $0, userID: 1, name: "n", title: title, byteCount: 1, contentType: "image/png", createdAt: 1)
      }
      try await api.application.database.write(about: .all) { try $0.insert(photos) }
      return ids
    }

    func delete(_ id: String) async throws {
      let response = await api.deletePhoto(id, token: token)
      #expect(response.status == .ok)
    }

    private func letters(_ number: Int) -> String {
      let digits = (0..<4).map { UInt8(number >> ($0 * 4) & 15) }
      return String(decoding: digits.map { $0 + UInt8(ascii: "a") }, as: UTF8.self)
    }
  }

  @Test(arguments: [1, maxRows - 1, maxRows, maxRows + 1, 2 * maxRows, 500])
  func `a list has every photo once, oldest first, and its ETag stands for it`(count: Int) async throws {
    let user = try await User()
    let ids = try await user.insert(0..<count)
    let response = await user.list()
    #expect(response.status == .ok)
    #expect((response.body.length == nil) == (count > Self.maxRows))
    let list = try await response.fetched()
    #expect(list.elements.map { $0["random_id"] } == ids)
    #expect(list.elements.allSatisfy { $0["title"] == "<t>" })

    let tag = try #require(response.fields["ETag"])
    // The bytes of a list that changes while it is sent may differ.
    #expect(tag.hasPrefix("W/") == (count > Self.maxRows))
    let again = await user.list([("If-None-Match", tag)])
    #expect(again.status == .notModified && again.fields["ETag"] == tag)
  }

  @Test func `a list that has changed, or is asked for at another address, has another ETag`() async throws {
    let user = try await User()
    let ids = try await user.insert(0..<500)
    var tags = [try await user.tag()]
    try await user.delete(ids[7])
    tags.append(try await user.tag())
    try await user.delete(ids[499])
    tags.append(try await user.tag())
    try await user.insert(500..<501)
    tags.append(try await user.tag())
    try await user.delete(ids[8])
    try await user.insert(501..<502)
    tags.append(try await user.tag())
    let elsewhere = await user.api.application.respond(
      Request(
        "GET", "/api/get_photos",
        fields: [("Host", "other.example")] + APIFixture.Caller.holder(of: user.token).fields))
    tags.append(try #require(elsewhere.fields["ETag"]))
    #expect(Set(tags).count == tags.count)
  }

  /// A restored photo has its old id.
  @Test func `a list of as many photos with the same newest one has another ETag`() async throws {
    let user = try await User()
    let ids = try await user.insert(0..<300)
    try await user.delete(ids[7])
    let tag = try await user.tag()
    try await user.api.application.database.run([
      Query("UPDATE photos SET id = 8 WHERE random_id = $1", .text(ids[8]))
    ])
    #expect(try await user.tag() != tag)
  }

  @Test func `a long list comes in pages of bounded length`() async throws {
    let user = try await User()
    try await user.insert(0..<300, title: String(repeating: "<", count: 255))
    let pages = try #require(await user.list().pages)
    var list: [UInt8] = []
    while true {
      let page = try await pages.piece(at: Int64(list.count), count: BodyStream.maxPieceBytes, mayEnd: true)
      guard !page.isEmpty else { break }
      #expect(page.count < ListPageLimits.maxBytes + 4096)
      list += page
    }
    #expect(list.count > 6 * ListPageLimits.maxBytes)
  }

  @Test func `what changes while a list is sent may be in it, and nothing is in it twice`() async throws {
    let user = try await User()
    let ids = try await user.insert(0..<600)
    let pages = try #require(await user.list().pages)
    var bytes = try await pages.piece(at: 0, count: BodyStream.maxPieceBytes)
    for index in [0, Self.maxRows - 1, Self.maxRows, 599] { try await user.delete(ids[index]) }
    let added = try await user.insert(600..<601)
    bytes += try await pages.collect()
    let listed = Response(status: .ok, body: .bytes(bytes)).elements.map { $0["random_id"] }
    let expected = Array(ids[..<Self.maxRows] + ids[(Self.maxRows + 1)..<599]) + added
    #expect(listed == expected)
  }
}
