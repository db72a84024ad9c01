import APITestSupport
import Glibc
import HTTPMessages
import Platform
import SQLite
import Synchronization
import Testing

@testable import SelfieAPI

/// Whatever goes wrong: a photo's row and its file exist together or not at all.
@Suite struct UploadFailureTests {
  private func expectNothingRemains(_ api: APIFixture) throws {
    #expect(try api.folder.files(in: "incoming").isEmpty)
    #expect(try api.folder.files(in: "photos").isEmpty)
    #expect(try api.count("SELECT count(*) FROM photos") == 0)
  }

  @Test(arguments: [
    (BodyError.disconnected, Status.badRequest), (.timedOut, .requestTimeout),
    (.malformed("A chunk's size is not a number."), .badRequest),
  ])
  func `a body that breaks off`(_ failure: BodyError, _ status: Status) async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let whole = MultipartBody.upload(Samples.bytes(700_000), title: "t")
    // Within the image, within the title, and behind the last boundary's dashes.
    for count in [0, 60, 5_000, 600_000, whole.count - 70, whole.count - 6] {
      let body = PiecesBody(Array(whole.prefix(count)), sizes: [64 * 1024], failure: failure)
      let response = await api.upload(RequestBody(length: whole.count, source: body), token: token)
      #expect(response.status == status, "after \(count) bytes")
      #expect(response.message?.isEmpty == false)
      try expectNothingRemains(api)
    }
  }

  @Test func `a body that ends too early`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let whole = MultipartBody.upload(Samples.bytes(700_000), title: "t")
    for count in [1, 60, 5_000, 600_000, whole.count - 70, whole.count - 6] {
      let response = await api.upload(RequestBody(Array(whole.prefix(count))), token: token)
      #expect(response.status == .badRequest, "after \(count) bytes")
      #expect(response.message?.hasPrefix("bad content body") == true)
      try expectNothingRemains(api)
    }
  }

  @Test func `a photo of one byte too many`() async throws {
    let api = try APIFixture { $0.maxPhotoBytes = 600_000 }
    let token = try await api.newUser()
    let body = MultipartBody.upload(Samples.bytes(600_001), title: "t")
    let response = await api.upload(RequestBody(length: nil, source: PiecesBody(body, sizes: [50_000])), token: token)
    #expect(response.status == .contentTooLarge)
    #expect(response.message == "The photo is larger than 600000 bytes.")
    try expectNothingRemains(api)

    _ = try await api.newPhoto(Samples.bytes(600_000), token: token)
  }

  @Test(arguments: ["image", "colour"])
  func `a body without an end, whichever part it is in`(_ part: String) async throws {
    let api = try APIFixture { $0.maxPhotoBytes = 300_000 }
    let token = try await api.newUser()
    let beginning = MultipartBody.file(part, filename: "photo", []).dropLast(2)
    let body = EndlessBody(after: Array(beginning))
    let response = await api.upload(RequestBody(length: nil, source: body), token: token)
    #expect(response.status == .contentTooLarge)
    // The photo's own limit, and a megabyte for what stands around it.
    #expect(body.readBytes.load(ordering: .relaxed) < 300_000 + 1_048_576 + 2 * 65_536)
    try expectNothingRemains(api)
  }

  private static let image = MultipartBody.file("image", filename: "p", Samples.png)
  private static let title = MultipartBody.field("title", "t")
  private static let tooLong = String(repeating: "é", count: 256)

  private static let refusedParts: [(parts: [[UInt8]], message: String)] = [
    ([image], "required parameters are missing"),
    ([title], "required parameters are missing"),
    ([title, MultipartBody.file("image", filename: "", Samples.png)], "required parameters are missing"),
    ([title, MultipartBody.field("image", "x")], "image must be a file: a multipart part with a filename."),
    ([MultipartBody.field("title", tooLong), image], "title is too long (maximum is 255 characters)."),
    ([MultipartBody.field("title", "a\0b"), image], "title must not contain a NUL character."),
    ([MultipartBody.field("title[]", "t"), image], "title must be a string."),
    (
      [title, MultipartBody.file("image", filename: tooLong, Samples.png)],
      "filename is too long (maximum is 255 characters)."
    ),
    (
      [title, MultipartBody.file("image", filename: "a%00b", Samples.png)],
      "filename must not contain a NUL character."
    ),
  ]

  @Test(arguments: refusedParts)
  func `parts that are missing or cannot be stored`(_ parts: [[UInt8]], _ message: String) async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let response = await api.upload(RequestBody(parts.joined() + MultipartBody.end), token: token)
    #expect(response.status == .badRequest)
    #expect(response.message == message)
    try expectNothingRemains(api)
  }

  @Test func `a row that the database refuses, after the file was put into its place`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    try await api.database.write { connection in
      try connection.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON photos BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END")
    }
    let response = await api.upload(RequestBody(MultipartBody.upload(Samples.png, title: "t")), token: token)
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

  @Test func `a user who is gone when the row is written`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let body = MultipartBody.upload(Samples.png, title: "t")
    let source = ActingBody(body) {
      try? await api.database.write { try $0.run("DELETE FROM users") }
    }
    let response = await api.upload(RequestBody(length: body.count, source: source), token: token)
    #expect(response.status == .unauthorized)
    #expect(response.message == "HTTP Token: Access denied.")
    try expectNothingRemains(api)
  }

  @Test(arguments: ["incoming", "photos"])
  func `a folder that cannot be written to`(_ folder: String) async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    try api.folder.replaceByFile(folder)
    for image in [Samples.png, Samples.bytes(600_000)] {
      let response = await api.upload(RequestBody(MultipartBody.upload(image, title: "t")), token: token)
      #expect(response.status == .internalServerError)
      #expect(response.message?.contains("request id") == true)
    }
    #expect(try folder == "incoming" || api.folder.files(in: "incoming").isEmpty)
    #expect(try api.count("SELECT count(*) FROM photos") == 0)
    #expect(api.log.lines.contains { $0.contains("Not a directory") })
  }

  @Test(arguments: [ENOSPC, EDQUOT, EFBIG])
  func `a full disk is told from other failures`(_ number: Int32) {
    #expect(FileError("write", "storage/incoming/a", number: number).isDiskFull)
    #expect(!FileError("write", "storage/incoming/a", number: EIO).isDiskFull)
  }
}

/// A body at whose end something happens.
private final class ActingBody: RequestBody.Source {
  private let bytes: Mutex<[UInt8]?>
  private let act: @Sendable () async -> Void

  init(_ bytes: [UInt8], act: @escaping @Sendable () async -> Void) {
    self.bytes = Mutex(bytes)
    self.act = act
  }

  func next() async throws(BodyError) -> [UInt8]? {
    await act()
    return bytes.withLock { $0.take() }
  }
}
