import APITestSupport
import HTTPMessages
import Platform
import SQLite
import Testing

@testable import SelfieAPI

/// Whatever goes wrong: a photo's row and its file exist together or not at all.
@Suite struct UploadFailureTests {
  private func expectNothingRemains(_ api: APIFixture) throws {
    #expect(try api.folder.files(in: "incoming").isEmpty)
    #expect(try api.folder.files(in: "photos").isEmpty)
    #expect(try api.count("SELECT count(*) FROM photos") == 0)
  }

  @Test(
    arguments: [
      (.disconnected, .badRequest), (.timedOut, .requestTimeout), (nil, .badRequest),
      (.malformed("A chunk's size is not a number."), .badRequest),
    ] as [(BodyError?, Status)])
  func `a body that breaks off, or ends too early`(_ failure: BodyError?, _ status: Status) async throws {
    let (api, token) = try await APIFixture.withUser()
    let whole = MultipartBody.upload(Samples.bytes(700_000), title: "t")
    // Within the image, within the title, and behind the last boundary's dashes.
    for count in [1, 60, 5_000, 600_000, whole.count - 70, whole.count - 6] {
      let body = PiecesBody(Array(whole.prefix(count)), sizes: [64 * 1024], failure: failure)
      let response = await api.upload(RequestBody(length: failure.map { _ in whole.count }, source: body), token: token)
      #expect(response.status == status, "after \(count) bytes")
      #expect(failure != nil || response.message?.hasPrefix("bad content body") == true)
      try expectNothingRemains(api)
    }
  }

  @Test(arguments: ["image", "colour"])
  func `a body without an end, whichever part it is in`(_ part: String) async throws {
    let (api, token) = try await APIFixture.withUser { $0.maxPhotoBytes = 300_000 }
    let beginning = MultipartBody.file(part, filename: "photo", []).dropLast(2)
    let body = EndlessBody(after: Array(beginning))
    let response = await api.upload(RequestBody(length: nil, source: body), token: token)
    #expect(response.status == .contentTooLarge)
    // The photo's own limit, and a megabyte for what stands around it.
    #expect(body.readBytes.load(ordering: .relaxed) < 300_000 + 1_048_576 + 2 * 65_536)
    try expectNothingRemains(api)
  }

  @Test func `texts that never end count as memory, and have a limit together`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let text = MultipartBody.field("colour", String(repeating: "x", count: 60_000))
    let body = Array(repeatElement(text, count: 20).joined())
    for (limit, status) in [(1 << 20, Status.serviceUnavailable), (16 << 20, .contentTooLarge)] {
      let memory = RequestMemory(of: MemoryBudget(limit: limit))
      let source = PiecesBody(body, sizes: [64 * 1024], failure: .disconnected)
      let response = await api.upload(RequestBody(length: nil, source: source, memory: memory), token: token)
      #expect(response.status == status, "\(response.text)")
    }
    try expectNothingRemains(api)
  }

  @Test(arguments: [[], MultipartBody.field("title", String(repeating: "é", count: 256))])
  func `a title that is missing or cannot be stored`(_ title: [UInt8]) async throws {
    let (api, token) = try await APIFixture.withUser()
    let image = MultipartBody.file("image", filename: "p", Samples.bytes(600_000))
    #expect(await api.upload(RequestBody(image + title + MultipartBody.end), token: token).status == .badRequest)
    try expectNothingRemains(api)
  }

  @Test func `a row that the database refuses, after the file was put into its place`() async throws {
    let (api, token) = try await APIFixture.withUser()
    try await api.database.write { connection in
      try connection.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON photos BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END")
    }
    let response = await api.upload(token: token)
    #expect(response.status == .internalServerError)
    let id = try #require(response.fields["X-Request-Id"])
    #expect(response.message?.contains(id) == true)
    #expect(response.text.contains("trigger") == false)
    let logged = api.log.lines.filter { $0.hasPrefix("error ") }
    #expect(logged.count == 1)
    #expect(logged.first?.contains(id) == true)
    #expect(logged.first?.contains("refused by a trigger") == true)
    try expectNothingRemains(api)
  }
}
