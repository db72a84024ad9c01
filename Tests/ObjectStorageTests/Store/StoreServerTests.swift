import Cryptography
import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `An object store that somebody else wrote` {
  typealias Product = StoreServer.Product

  @Test(arguments: Product.installed) func `passes the checks of many starts at once`(product: Product) async throws {
    let store = try await product.store(threads: 8)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { #expect(await store.check() == nil) } }
      try await group.waitForAll()
    }
    #expect(try await store.size(of: "selfie-server-check") != nil)
    #expect(try await store.size(of: "selfie-server-check-none") == nil)
  }

  @Test(arguments: Product.installed, [1, 300_000, 2_500_000])
  func `keeps content from memory and from files`(product: Product, byteCount: Int) async throws {
    let store = try await product.store()
    var generator = SplitMix64(seed: UInt64(byteCount))
    let (bytes, folder) = (generator.bytes(byteCount), try TemporaryFolder())
    try folder.write(bytes, to: "photo")
    let file = try #require(try FileSystem.open("\(folder.path)/photo"))
    let length = Int64(byteCount)
    let contents = ["memory": RequestContent.bytes(bytes), "file": .file(file, byteCount: length)]
    for (name, content) in contents {
      let key = "\(name)/\(byteCount)"
      #expect(try await store.size(of: key) == nil)
      try await store.put(content, as: key, contentType: "image/jpeg", digest: Digest.sha256(bytes))
      #expect(try await store.size(of: key) == length)
      #expect(try await Self.content(of: key, byteCount: length, in: store) == bytes)
      #expect(try await store.get(key, (length - 1)..<length) == [bytes[byteCount - 1]])
      try await store.delete(key)
      try await store.delete(key)
      await #expect(throws: ObjectStoreError.missing) { try await store.get(key, 0..<1) }
    }
  }

  @Test(arguments: Product.installed) func `refuses another secret`(product: Product) async throws {
    let store = try await product.store(secretAccessKey: "wrong")
    let refusal = ObjectStoreError.refused(status: 403, code: "SignatureDoesNotMatch")
    await #expect(throws: refusal) { try await store.put([1], as: "key") }
    await #expect(throws: refusal) { try await store.get("key", 0..<1) }
    await #expect(throws: refusal) { try await store.delete("key") }
    await #expect(throws: ObjectStoreError.refused(status: 403, code: nil)) { try await store.size(of: "key") }
  }

  // moto fails by itself at such a URL once it checks signatures.
  @Test(.enabled(if: Product.swift.python.isComplete, "\(Product.swift.python.reason)"))
  func `lets anybody read an object at a presigned URL for a while`() async throws {
    let store = try await Product.swift.store()
    try await store.put([1, 2, 3], as: "photos/a b+c")
    let url = store.presignedURL(
      of: "photos/a b+c", validFor: 60, fields: [(name: "content-type", value: "image/png")])
    let response = try await Self.get(url)
    #expect(response.status == 200 && response.body == [1, 2, 3] && response["content-type"] == "image/png")
    let part = try await Self.get(url, fields: [(name: "Range", value: "bytes=1-1")])
    #expect(part.status == 206 && part.body == [2])

    let other = url.replacing("image%2Fpng", with: "image%2Fgif")
    #expect(try await Self.get(other).status == 403)
    let early = RetryClock(now: { unixMilliseconds() - 61_000 }, sleep: { _ in })
    let ended = try await Product.swift.store(clock: early).presignedURL(of: "photos/a b+c", validFor: 60)
    #expect(try await Self.get(ended).status == 403)
    try await store.delete("photos/a b+c")
  }

  // moto takes any host below localhost for one of paths.
  @Test(.enabled(if: Product.swift.python.isComplete, "\(Product.swift.python.reason)"))
  func `has the same objects whether the bucket is in the path or in the host`() async throws {
    let (byPath, byHost) = (try await Product.swift.store(), try await Product.swift.store(bucketIsInHost: true))
    #expect(await byHost.check() == nil)
    try await byHost.put([1, 2, 3], as: "style/a b+c")
    #expect(try await byPath.get("style/a b+c", 0..<3) == [1, 2, 3])
    #expect(try await byHost.get("style/a b+c", 1..<3) == [2, 3])
    #expect(try await byHost.size(of: "style/a b+c") == 3)
    let url = byHost.presignedURL(of: "style/a b+c", validFor: 60)
    #expect(url.hasPrefix("http://selfies.localhost:") && url.contains("/style/a%20b%2Bc?"))
    let response = try await Self.get(url)
    #expect(response.status == 200 && response.body == [1, 2, 3])
    try await byHost.delete("style/a b+c")
    #expect(try await byPath.size(of: "style/a b+c") == nil)
  }

  private static func get(
    _ url: String, fields: [(name: String, value: String)] = []
  ) async throws -> ClientResponse {
    try await Blocking.run {
      try HTTPClient().perform(ClientRequest(method: .get, url: url, fields: fields, maxBodyBytes: 100))
    }
  }

  private static func content(of key: String, byteCount: Int64, in store: ObjectStore) async throws -> [UInt8] {
    var content: [UInt8] = []
    while content.count < byteCount {
      let start = Int64(content.count)
      content += try await store.get(key, start..<min(byteCount, start + Int64(ObjectStore.maxPieceBytes)))
    }
    return content
  }
}
