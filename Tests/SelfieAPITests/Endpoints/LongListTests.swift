import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

@Suite struct LongListTests {
  /// Around the length beyond which a list is made on a worker pool of its own.
  @Test(arguments: [1, 199, 200, 201, 500])
  func `a list has every photo once, oldest first, and its ETag stands for it`(count: Int) async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let ids = (0..<count).map { String(repeating: "a", count: Photo.idLength - 4) + letters($0) }
    let photos = ids.map { id in
      Photo(randomID: id, userID: 1, name: "n", title: "<t>", byteCount: 1, contentType: "image/png", createdAt: 1)
    }
    try await api.database.write { try PhotoStore.insert(photos, on: $0) }
    let response = await api.get("/api/get_photos", as: .holder(of: token))
    #expect(response.status == .ok)
    #expect(response.elements.map { $0["random_id"] } == ids)
    #expect(response.elements.allSatisfy { $0["title"] == "<t>" })

    let tag = try #require(response.fields["ETag"])
    let again = await api.get("/api/get_photos", as: .holder(of: token), fields: [("If-None-Match", tag)])
    #expect(again.status == .notModified)
  }

  private func letters(_ number: Int) -> String {
    String(decoding: (0..<4).map { UInt8(ascii: "a") + UInt8(number >> ($0 * 4) & 15) }, as: UTF8.self)
  }
}
