import APITestSupport
import Cryptography
import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import ObjectStorage
@testable import SelfieAPI

@Suite(
  .onPostgreSQL, .enabled(if: ObjectsFixture.isAvailable, "\(ObjectsFixture.whatIsNeeded)"),
  .timeLimit(.minutes(5)))
struct `A download from an object store` {
  private static let byteCount = 1_200_000

  /// TAG stands for the photo's.
  private static let requests: [(method: String, fields: [(name: String, value: String)])] = [
    ("GET", []), ("HEAD", []), ("HEAD", [("Range", "bytes=0-1")]),
    ("GET", [("Range", "bytes=100-1199998")]), ("GET", [("Range", "bytes=-5")]), ("GET", [("Range", "bytes=1199999-")]),
    ("GET", [("Range", "bytes=1200000-")]), ("GET", [("Range", "bytes=0-1,3-4")]), ("GET", [("If-None-Match", "TAG")]),
    ("GET", [("If-Match", "\"a\"")]), ("GET", [("If-Range", "TAG"), ("Range", "bytes=5-6")]),
    ("GET", [("If-Range", "\"a\""), ("Range", "bytes=5-6")]),
    ("GET", [("If-Modified-Since", "Fri, 20 Nov 2026 22:24:16 GMT")]),
  ]

  @Test func `has the status, the fields and the bytes that one from a file has`() async throws {
    let file = try TestDatabase.$shared.withValue(nil) { try APIFixture() }
    let image = Samples.jpeg + Samples.bytes(Self.byteCount - Samples.jpeg.count)
    let ofFile = try await file.newPhoto(image, token: file.newUser())
    let api = try await APIFixture(objects: ObjectsFixture.store())
    let id = try await api.newPhoto(image, token: api.newUser())
    for (method, fields) in Self.requests {
      let expected = await file.application.respond(Self.request(method, ofFile, fields))
      let response = await api.application.respond(Self.request(method, id, fields))
      #expect(response.status == expected.status, "\(method) \(fields)")
      #expect(Self.lines(response, id) == Self.lines(expected, ofFile), "\(method) \(fields)")
      #expect(response.body.length == expected.body.length, "\(method) \(fields)")
      if method == "GET" { #expect(try await response.fetchedContent() == expected.content, "\(method) \(fields)") }
    }
  }

  @Test func `of an empty photo is empty`() async throws {
    let api = try await APIFixture(objects: ObjectsFixture.store())
    let id = try await api.newPhoto([], token: api.newUser())
    for fields in [[], [("Range", "bytes=0-")]] {
      let response = await api.get("/photos/\(id)", fields: fields)
      #expect(response.status == .ok && response.body.length == 0)
    }
  }

  private static func request(_ method: String, _ id: String, _ fields: [(name: String, value: String)]) -> Request {
    APIFixture.request(
      method, "/photos/\(id)", fields: fields.map { ($0.name, $0.value.replacing("TAG", with: "\"\(id)\"")) })
  }

  /// The fields of a response that are the same for each photo and each request.
  private static func lines(_ response: Response, _ id: String) -> [String] {
    String(decoding: response.fields.lines, as: UTF8.self).replacing(id, with: "ID").split(separator: "\r\n")
      .map(String.init).filter { !$0.hasPrefix("X-Request-Id:") && !$0.hasPrefix("X-Runtime:") }
  }

  @Test(arguments: ["GET", "HEAD"], [nil, [1, 2, 3], Samples.png + [1]] as [[UInt8]?])
  func `is a 404 if the object is missing or has another length, and the log says so`(
    method: String, content: [UInt8]?
  ) async throws {
    let api = try await APIFixture(objects: ObjectsFixture.store())
    let id = try await api.newPhoto(token: api.newUser())
    if let content {
      try api.folder.write(content, to: "other")
      let file = try #require(try FileSystem.open("\(api.folder.path)/other"))
      _ = try await api.objects.put(
        id, file, byteCount: Int64(content.count), sha256: Digest.sha256(content), flow: Flow())
    } else {
      try await api.objects.delete(id)
    }
    let response = await api.application.respond(APIFixture.request(method, "/photos/\(id)"))
    // Nobody looks how much there is behind the bytes that were asked for.
    guard method == "HEAD" || content.map({ $0.count < Samples.png.count }) != false else {
      return #expect(response.status == .ok)
    }
    #expect(response.status == .notFound)
    #expect(response.message == "There is no photo at this address.")
    let errors = api.log.lines.filter { $0.hasPrefix("error a stored photo is missing") }
    #expect(errors.count == 1)
    #expect(errors.first?.contains(id) == false)
  }

  @Test func `that breaks off in its middle is logged`() async throws {
    let image = Samples.bytes(1_200_000)
    let count = BodyStream.maxPieceBytes
    let first = RawServer.Reply.response(
      206, ["Content-Range: bytes 0-\(count - 1)/1200000"], body: Array(image.prefix(count)))
    let server = try RawServer([.stored, first] + Array(repeating: .response(503), count: 4))
    let api = try APIFixture(objects: ObjectsFixture.store(on: server))
    let id = try await api.newPhoto(image, token: api.newUser())
    let response = await api.get("/photos/\(id)")
    guard case .stream(let stream, 0, 1_200_000) = response.body else {
      Issue.record("\(response.status)")
      return
    }
    #expect(try await stream.piece(at: 0, count: count) == first.bytes.suffix(count))
    let failure = await #expect(throws: BodyStream.Failure.self) {
      try await stream.piece(at: Int64(count), count: 1_200_000 - count)
    }
    stream.end(failure)
    let warnings = api.log.lines.filter { $0.hasPrefix("warning a photo was not sent completely") }
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("503") == true)
  }

  @Test func `is refused if there is no memory for its first piece, and takes none when it has ended`() async throws {
    let memory = MemoryBudget(limit: 1 << 20)
    let objects = try await ObjectsFixture.store()
    let (api, token) = try await APIFixture.withUser(memory: memory, objects: objects)
    let (id, small) = (
      try await api.newPhoto(Samples.bytes(1_000_000), token: token), try await api.newPhoto(token: token)
    )
    let refused = await api.get("/photos/\(id)")
    #expect(refused.status == .serviceUnavailable)
    #expect(refused.fields["X-Error"] == "busy")
    do {
      let response = await api.get("/photos/\(small)")
      #expect(memory.usedBytes == 508)
      #expect(try await response.fetchedContent() == Samples.png)
      // From now on, the server counts what it sends.
      #expect(memory.usedBytes == 0)
    }
    _ = await api.get("/photos/\(small)")
    #expect(memory.usedBytes == 0)
  }

  @Test func `takes turns with those of other clients, as uploads do`() async throws {
    let objects = MemoryObjects()
    let proxies = try #require(TrustedProxies("127.0.0.1"))
    let api = try APIFixture(objects: objects) { $0.trustedProxies = proxies }
    let id = try await api.newPhoto(token: api.newUser())
    for (method, address) in [("GET", "1"), ("GET", "2"), ("HEAD", "1"), ("GET", "1")] {
      let fields = [(name: "X-Forwarded-For", value: "192.0.2.\(address)")]
      #expect(await api.application.respond(Self.request(method, id, fields)).status == .ok)
    }
    let seen = objects.turns
    try #require(seen.count == 5)
    #expect(Set(seen[..<3]).count == 3)
    #expect(seen[3] == seen[1] && seen[4] == seen[1])
  }

  @Test(.enabled(if: StoreServer.Product.swift.python.isComplete, "needs an object store that knows presigned URLs"))
  func `is redirected to the store if it is to be, as soon as it has passed all checks`() async throws {
    let (api, token) = try await APIFixture.withUser(objects: ObjectsFixture.store(redirects: true))
    for (image, type, disposition) in [
      (Samples.png, "image/png", "inline"), (Samples.page, "application/octet-stream", "attachment"),
    ] {
      let id = try await api.newPhoto(image, token: token)
      let response = await api.get("/photos/\(id)")
      #expect(response.status.code == 302)
      #expect(response.content == [])
      #expect(response.fields["Cache-Control"] == "no-store")
      #expect(response.fields["ETag"] == nil)
      let url = try #require(response.fields["Location"])
      let object = try await Blocking.run {
        try HTTPClient().perform(ClientRequest(method: .get, url: url, maxBodyBytes: 1000))
      }
      #expect(object.status == 200 && object.body == image)
      #expect(object["content-type"] == type && object["content-disposition"] == disposition)

      let tag = [(name: "If-None-Match", value: "\"\(id)\"")]
      #expect(await api.get("/photos/\(id)", fields: tag).status == .notModified)
      #expect(await api.get("/photos/\(id)", fields: [("Range", "bytes=999-")]).status == .rangeNotSatisfiable)
      // The address is for GET only.
      #expect(await api.application.respond(APIFixture.request("HEAD", "/photos/\(id)")).status == .ok)
    }
    let unknown = String(repeating: "a", count: Photo.idLength)
    #expect(await api.get("/photos/\(unknown)").status == .notFound)
  }
}
