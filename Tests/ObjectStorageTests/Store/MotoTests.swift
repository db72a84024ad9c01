import HTTPClient
import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.enabled(if: PythonPackages.areInstalled, PythonPackages.reason), .timeLimit(.minutes(5)))
struct `A store that checks signatures` {
  @Test(arguments: [1, 300_000, 2_500_000])
  func `keeps content from memory and from files`(byteCount: Int) async throws {
    let store = try await MotoServer.shared().store()
    var generator = SplitMix64(seed: UInt64(byteCount))
    let (bytes, folder) = (generator.bytes(byteCount), try TemporaryFolder())
    try folder.write(bytes, to: "photo")
    let file = try #require(try FileSystem.open("\(folder.path)/photo"))
    let length = Int64(byteCount)
    let contents = ["memory": RequestContent.bytes(bytes), "file": .file(file, byteCount: length)]
    for (name, content) in contents {
      let key = "\(name)/\(byteCount)"
      #expect(try await store.head(key) == nil)
      try await store.put(content, as: key, contentType: "image/jpeg")
      let metadata = try await store.head(key)
      #expect(metadata?.byteCount == length && metadata?.contentType == "image/jpeg")
      #expect(try await Self.content(of: store.reader(of: key, 0..<length)) == bytes)
      #expect(try await store.get(key, (length - 1)..<length) == [bytes[byteCount - 1]])
      try await store.delete(key)
      try await store.delete(key)
      await #expect(throws: ObjectStoreError.missing) { try await store.get(key, 0..<1) }
    }
  }

  @Test(arguments: ["photos/1/abc", "a b~c", "a+b"]) func `has objects by any key`(key: String) async throws {
    let store = try await MotoServer.shared().store()
    try await store.put(.bytes([1, 2, 3]), as: key, contentType: "image/png")
    #expect(try await store.get(key, 0..<3) == [1, 2, 3])
    try await store.delete(key)
    #expect(try await store.head(key) == nil)
  }

  @Test func `passes the check of the start`() async throws {
    try await MotoServer.shared().store().check()
  }

  @Test func `refuses another secret`() async throws {
    let store = try await MotoServer.shared().store(secretAccessKey: "wrong")
    let refusal = ObjectStoreError.refused(status: 403, code: "SignatureDoesNotMatch")
    await #expect(throws: refusal) { try await store.put(.bytes([1]), as: "key", contentType: "image/png") }
    await #expect(throws: refusal) { try await store.get("key", 0..<1) }
    await #expect(throws: refusal) { try await store.delete("key") }
    await #expect(throws: ObjectStoreError.refused(status: 403, code: nil)) { try await store.head("key") }
  }

  @Test func `refuses a bucket that it does not have`() async throws {
    let store = try await MotoServer.shared().store(bucket: "no-such-bucket")
    let refusal = ObjectStoreError.refused(status: 404, code: "NoSuchBucket")
    await #expect(throws: refusal) { try await store.put(.bytes([1]), as: "key", contentType: "image/png") }
    await #expect(throws: refusal) { try await store.get("key", 0..<1) }
    await #expect(throws: refusal) { try await store.delete("key") }
  }

  @Test func `serves many requests at once`() async throws {
    let store = try await MotoServer.shared().store(threads: 4)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in UInt8(0)..<40 {
        group.addTask {
          let (key, bytes) = ("many/\(number)", [UInt8](repeating: number, count: 1_000))
          try await store.put(.bytes(bytes), as: key, contentType: "image/png")
          #expect(try await store.get(key, 0..<1_000) == bytes)
          try await store.delete(key)
        }
      }
      try await group.waitForAll()
    }
  }

  private static func content(of reader: ObjectReader) async throws -> [UInt8] {
    var (reader, content) = (reader, [UInt8]())
    while let bytes = try await reader.next() { content += bytes }
    return content
  }
}
