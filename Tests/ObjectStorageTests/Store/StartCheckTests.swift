import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `The check of an object store at the start` {
  private let bytes = Array("selfie-server-check".utf8)

  private func problem(_ replies: [RawServer.Reply]) async throws -> String? {
    let server = try RawServer(replies)
    let store = try ObjectStore.forTests(server)
    defer { withExtendedLifetime(server) {} }
    return await store.check()?.text
  }

  @Test func `stores and reads an object, always the same, and may delete others`() async throws {
    let replies = [RawServer.Reply.stored, .range(bytes, from: 0, of: bytes.count), .response(204)]
    let server = try RawServer(replies + replies)
    for _ in 0..<2 { #expect(try await ObjectStore.forTests(server).check() == nil) }
    let target = "/selfies/selfie-server-check"
    let lines = ["PUT \(target) HTTP/1.1", "GET \(target) HTTP/1.1", "DELETE \(target)-none HTTP/1.1"]
    #expect(server.requests.map(\.line) == lines + lines)
    #expect(server.requests[0].body == bytes && server.requests[3].body == bytes)
  }

  @Test(
    arguments: [
      (.error(404, "NoSuchBucket"), "S3_BUCKET:"), (.error(403, "InvalidAccessKeyId"), "S3_ACCESS_KEY_ID:"),
      (.error(403, "SignatureDoesNotMatch"), "S3_SECRET_ACCESS_KEY "),
      (.error(403, "AccessDenied"), "S3_ACCESS_KEY_ID:"),
      (.error(400, "AuthorizationHeaderMalformed"), "S3_REGION:"), (.error(301, "PermanentRedirect"), "S3_ENDPOINT:"),
      (.error(403, "RequestTimeTooSkewed"), "The clock of this machine"),
      (.error(507, "QuotaExceeded"), "The object store has refused to store an object: 507 QuotaExceeded."),
      (.response(405), "S3_ENDPOINT:"), (.response(404), "S3_ENDPOINT:"),
      (.init("SSH-2.0-server\r\n", ending: .close), "S3_ENDPOINT is not an object store:"),
    ] as [(RawServer.Reply, String)])
  func `names the setting that is wrong`(reply: RawServer.Reply, beginning: String) async throws {
    #expect(try await problem([reply])?.hasPrefix(beginning) == true)
  }

  @Test func `names the setting of a store that is not there`() async throws {
    let away = Array(repeating: RawServer.Reply.error(503, "SlowDown"), count: 4)
    #expect(try await problem(away)?.hasPrefix("S3_ENDPOINT:") == true)
    #expect(ObjectStoreError.untrusted("self-signed").problem(to: "store").hasPrefix("S3_ENDPOINT:"))
  }

  @Test func `says which permission is missing`() async throws {
    let (taken, denied) = (RawServer.Reply.stored, RawServer.Reply.error(403, "AccessDenied"))
    #expect(
      try await problem([taken, denied]) == "S3_ACCESS_KEY_ID: this access key may not read objects in S3_BUCKET.")
    #expect(
      try await problem([taken, .range(bytes, from: 0, of: bytes.count), denied])
        == "S3_ACCESS_KEY_ID: this access key may not delete objects in S3_BUCKET.")
  }

  @Test func `finds a store that does not keep what it has taken`() async throws {
    #expect(
      try await problem([.stored, .error(404, "NoSuchKey")])
        == "The object store has lost an object that it has just taken.")
    let other = RawServer.Reply.range(Array(repeating: 1, count: bytes.count), from: 0, of: bytes.count)
    #expect(
      try await problem([.stored, other])
        == "S3_ENDPOINT is not an object store: an object is not what was stored.")
  }
}
