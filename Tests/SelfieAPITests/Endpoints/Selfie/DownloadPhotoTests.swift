import APITestSupport
import Foundation
import HTTPMessages
import Testing

@testable import SelfieAPI

@Suite struct DownloadPhotoTests {
  /// An API that holds one photo, its id, and its bytes.
  private static func withPhoto(_ image: [UInt8] = Samples.png) async throws -> (
    api: APIFixture, id: String, image: [UInt8]
  ) {
    let (api, token) = try await APIFixture.withUser()
    return (api, try await api.newPhoto(image, token: token), image)
  }

  @Test func `the whole photo, to be kept for ever`() async throws {
    let (api, id, image) = try await Self.withPhoto()
    let response = await api.get("/photos/\(id)")
    #expect(response.status == .ok)
    #expect(response.content == image)
    #expect(response.fields["Content-Type"] == "image/png")
    #expect(response.fields["Content-Disposition"] == "inline")
    #expect(response.fields["X-Content-Type-Options"] == "nosniff")
    #expect(response.fields["Accept-Ranges"] == "bytes")
    #expect(response.fields["Cache-Control"] == "private, max-age=31536000, immutable")
    #expect(response.fields["ETag"] == "\"\(id)\"")
    #expect(response.fields["Last-Modified"] == "Fri, 20 Nov 2026 22:24:16 GMT")
  }

  @Test func `a photo is not younger than the response, though the clock was set back`() async throws {
    let (api, id, _) = try await Self.withPhoto()
    api.clock.advance(seconds: -3600)
    #expect(await api.get("/photos/\(id)").fields["Last-Modified"] == "Fri, 20 Nov 2026 21:24:16 GMT")
  }

  @Test func `a link in place of a photo leads nowhere`() async throws {
    let (api, id, image) = try await Self.withPhoto()
    let path = "\(api.folder.path)/\(StorageLayout.photo(id))"
    try api.folder.write(image, to: "other")
    try api.folder.remove(StorageLayout.photo(id))
    #expect(await api.get("/photos/\(id)").status == .notFound)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(api.folder.path)/other")
    #expect(await api.get("/photos/\(id)").status == .notFound)
  }

  @Test func `what is no image is offered as a download, whatever it was called`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let body =
      MultipartBody.file("image", filename: "me.html", Samples.page) + MultipartBody.field("title", "t")
      + MultipartBody.end
    let id = try #require(await api.upload(RequestBody(body), token: token).member("random_id"))
    let response = await api.get("/photos/\(id)")
    #expect(response.content == Samples.page)
    #expect(response.fields["Content-Type"] == "application/octet-stream")
    #expect(response.fields["Content-Disposition"] == "attachment")
    #expect(response.fields["X-Content-Type-Options"] == "nosniff")
    #expect(response.fields["Content-Security-Policy"] == "default-src 'none'; sandbox")
  }

  @Test func `HEAD says what GET would, for a range too`() async throws {
    let (api, id, image) = try await Self.withPhoto()
    let head = await api.application.respond(
      Request("HEAD", "/photos/\(id)", fields: [("Host", "a"), ("Range", "bytes=0-1")]))
    // A range is for GET alone (RFC 9110 §14.2).
    #expect(head.status == .ok)
    #expect(head.fields["ETag"] == "\"\(id)\"")
    #expect(head.content.count == image.count)
  }

  @Test(
    arguments: [
      ("bytes=0-0", 0..<1), ("bytes=0-507", 0..<508), ("bytes=0-508", 0..<508), ("bytes=0-", 0..<508),
      ("bytes=100-199", 100..<200), ("bytes=507-", 507..<508), ("bytes=507-99999999999999999999", 507..<508),
      ("bytes=-1", 507..<508), ("bytes=-508", 0..<508), ("bytes=-509", 0..<508),
      ("bytes=-99999999999999999999", 0..<508), ("Bytes=1-2", 1..<3), ("bytes=007-8", 7..<9),
    ])
  func `Ranges of a photo of 508 bytes (RFC 9110 §14.1.2)`(_ range: String, _ expected: Range<Int>) async throws {
    let (api, id, image) = try await Self.withPhoto()
    let response = await api.get("/photos/\(id)", fields: [("Range", range)])
    #expect(response.status == .partialContent)
    #expect(response.content == Array(image[expected]))
    #expect(response.fields["Content-Range"] == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/508")
    #expect(response.fields["Content-Type"] == "image/png")
    #expect(response.fields["ETag"] == "\"\(id)\"")
  }

  @Test(
    arguments: [
      "bytes=508-", "bytes=508-600", "bytes=99999999999999999999-", "bytes=-0",
    ])
  func `Ranges that a photo of 508 bytes has not`(_ range: String) async throws {
    let (api, id, _) = try await Self.withPhoto()
    let response = await api.get("/photos/\(id)", fields: [("Range", range)])
    #expect(response.status == .rangeNotSatisfiable)
    #expect(response.fields["Content-Range"] == "bytes */508")
    #expect(response.message == "The photo has 508 bytes, none of them in this range.")
  }

  @Test(arguments: ["bytes=0-", "bytes=-5", "bytes=0-0", "bytes=5-", "bytes=-0"])
  func `any range of a photo of no bytes is ignored`(_ range: String) async throws {
    let (api, id, _) = try await Self.withPhoto([])
    let response = await api.get("/photos/\(id)", fields: [("Range", range)])
    #expect(response.status == .ok)
    #expect(response.content.isEmpty)
  }

  @Test(
    arguments: [
      "bytes=5-4", "bytes=-", "bytes=", "bytes", "lines=0-1", "bytes=a-b", "bytes=0-1,3-4", "bytes=0--1", "bytes=+1-2",
      "bytes 0-1", "bytes=0x1-2", "bytes=１-2", "",
    ])
  func `what is not one readable range of bytes gets the whole`(_ range: String) async throws {
    let (api, id, image) = try await Self.withPhoto()
    let response = await api.get("/photos/\(id)", fields: [("Range", range)])
    #expect(response.status == .ok)
    #expect(response.content == image)
  }

  private static let date = "Fri, 20 Nov 2026 22:24:16 GMT"
  private static let before = "Fri, 20 Nov 2026 22:24:15 GMT"

  @Test(
    arguments: [
      ([("If-None-Match", "TAG")], 304), ([("If-None-Match", "*")], 304), ([("If-None-Match", "W/TAG")], 304),
      ([("If-None-Match", "\"a\", TAG")], 304), ([("If-None-Match", "\"a\"")], 200),
      ([("If-None-Match", "\"a\""), ("If-None-Match", "TAG")], 304),
      ([("If-Match", "\"a\""), ("If-Match", "TAG")], 200), ([("If-Match", "\"a\""), ("If-Match", "\"b\"")], 412),
      ([("If-Modified-Since", "Friday, 20-Nov-26 22:24:16 GMT")], 304),
      ([("If-Modified-Since", "Fri Nov 20 22:24:16 2026")], 304), ([("If-Modified-Since", date)], 304),
      ([("If-Modified-Since", before)], 200),
      ([("If-Modified-Since", "yesterday")], 200),
      ([("If-None-Match", "\"a\""), ("If-Modified-Since", date)], 200),
      ([("If-None-Match", "TAG"), ("If-Modified-Since", before)], 304),
      ([("If-Match", "TAG")], 200), ([("If-Match", "*")], 200), ([("If-Match", "\"a\"")], 412),
      ([("If-Match", "W/TAG")], 412), ([("If-Unmodified-Since", date)], 200),
      ([("If-Unmodified-Since", before)], 412), ([("If-Match", "TAG"), ("If-Unmodified-Since", before)], 200),
      ([("If-Match", "\"a\""), ("If-None-Match", "TAG")], 412),
      ([("If-None-Match", "TAG"), ("Range", "bytes=0-1")], 304),
      ([("If-Range", "TAG"), ("Range", "bytes=0-1")], 206), ([("If-Range", "\"a\""), ("Range", "bytes=0-1")], 200),
      ([("If-Range", "W/TAG"), ("Range", "bytes=0-1")], 200), ([("If-Range", date), ("Range", "bytes=0-1")], 206),
      ([("If-Range", before), ("Range", "bytes=0-1")], 200), ([("If-Range", "TAG"), ("Range", "bytes=508-")], 416),
      ([("If-Range", "\"a\""), ("Range", "bytes=508-")], 200),
    ] as [([(name: String, value: String)], Int)])
  func `preconditions (RFC 9110 §13.2.2); TAG stands for the photo's`(
    _ fields: [(name: String, value: String)], _ status: Int
  ) async throws {
    let (api, id, image) = try await Self.withPhoto()
    let fields = fields.map { ($0.name, $0.value.replacing("TAG", with: "\"\(id)\"")) }
    let response = await api.get("/photos/\(id)", fields: fields)
    #expect(response.status.code == status)
    switch status {
    case 200: #expect(response.content == image)
    case 206: #expect(response.content == Array(image[..<2]))
    case 304:
      #expect(response.content.isEmpty)
      #expect(response.fields["ETag"] == "\"\(id)\"")
      #expect(response.fields["Cache-Control"] == "private, max-age=31536000, immutable")
    default: #expect(response.message?.isEmpty == false)
    }
  }

  @Test(arguments: [
    "/photos/..%2fselfie.sqlite3", "/photos/../credentials.env", "/photos/" + String(repeating: "a", count: 41),
    "/photos/" + String(repeating: "a", count: 40) + "é", "/photos/" + String(repeating: "a", count: 4000),
  ])
  func `an address without a photo is a 404 in JSON`(_ path: String) async throws {
    let response = await (try APIFixture()).get(path)
    #expect(response.status == .notFound)
    #expect(response.message?.isEmpty == false)
  }
}
