import HTTPClient
import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `An object store that somebody else wrote` {
  typealias Product = StoreServer.Product

  // Each is skipped by itself where its server is missing. The other tests run on the servers that are there.
  @Test(.enabled(if: Product.moto.python.isComplete, "\(Product.moto.python.reason)"))
  func `passes the check of the start if it is moto`() async throws {
    try await Product.moto.store().check()
  }

  @Test(.enabled(if: Product.swift.python.isComplete, "\(Product.swift.python.reason)"))
  func `passes the check of the start if it is OpenStack Swift`() async throws {
    try await Product.swift.store().check()
  }

  @Test(arguments: Product.installed) func `passes the checks of many starts at once`(product: Product) async throws {
    let store = try await product.store(threads: 8)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { try await store.check() } }
      try await group.waitForAll()
    }
    #expect(try await store.head("selfie-server-check") != nil)
    #expect(try await store.head("selfie-server-check-none") == nil)
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
      #expect(try await store.head(key) == nil)
      try await store.put(content, as: key, contentType: "image/jpeg")
      let metadata = try await store.head(key)
      #expect(metadata?.byteCount == length && metadata?.contentType == "image/jpeg")
      #expect(try await Self.content(of: key, byteCount: length, in: store) == bytes)
      #expect(try await store.get(key, (length - 1)..<length) == [bytes[byteCount - 1]])
      try await store.delete(key)
      try await store.delete(key)
      await #expect(throws: ObjectStoreError.missing) { try await store.get(key, 0..<1) }
    }
  }

  @Test(arguments: Product.installed, ["photos/1/abc", "a b~c", "a+b"])
  func `has objects by any key`(product: Product, key: String) async throws {
    let store = try await product.store()
    try await store.put(.bytes([1, 2, 3]), as: key, contentType: "image/png")
    #expect(try await store.get(key, 0..<3) == [1, 2, 3])
    try await store.delete(key)
    #expect(try await store.head(key) == nil)
  }

  @Test(arguments: Product.installed) func `refuses another secret`(product: Product) async throws {
    let store = try await product.store(secretAccessKey: "wrong")
    let refusal = ObjectStoreError.refused(status: 403, code: "SignatureDoesNotMatch")
    await #expect(throws: refusal) { try await store.put(.bytes([1]), as: "key", contentType: "image/png") }
    await #expect(throws: refusal) { try await store.get("key", 0..<1) }
    await #expect(throws: refusal) { try await store.delete("key") }
    await #expect(throws: ObjectStoreError.refused(status: 403, code: nil)) { try await store.head("key") }
  }

  @Test(arguments: Product.installed) func `refuses a bucket that it does not have`(product: Product) async throws {
    let store = try await product.store(bucket: "no-such-bucket")
    let refusal = ObjectStoreError.refused(status: 404, code: "NoSuchBucket")
    await #expect(throws: refusal) { try await store.put(.bytes([1]), as: "key", contentType: "image/png") }
    await #expect(throws: refusal) { try await store.get("key", 0..<1) }
    await #expect(throws: refusal) { try await store.delete("key") }
  }

  @Test(arguments: Product.installed) func `lets the check of the start name a wrong setting`(
    product: Product
  ) async throws {
    for (store, beginning) in [
      (try await product.store(bucket: "no-such-bucket"), "S3_BUCKET: "),
      (try await product.store(secretAccessKey: "wrong"), "S3_SECRET_ACCESS_KEY "),
    ] {
      let problem = await #expect(throws: ObjectStoreProblem.self) { try await store.check() }
      #expect(problem?.description.hasPrefix(beginning) == true)
    }
  }

  // moto looks at neither.
  @Test(.enabled(if: Product.swift.python.isComplete, "\(Product.swift.python.reason)"))
  func `refuses another region and another date`() async throws {
    let late = RetryClock(
      now: { RetryClock.system.now() + 3_600_000 }, uptime: RetryClock.system.uptime, sleep: { _ in })
    for (store, beginning) in [
      (try await Product.swift.store(region: "us-east-1"), "S3_REGION: "),
      (try await Product.swift.store(clock: late), "The clock of this machine"),
    ] {
      let problem = await #expect(throws: ObjectStoreProblem.self) { try await store.check() }
      #expect(problem?.description.hasPrefix(beginning) == true)
    }
  }

  // moto fails by itself at such a URL once it checks signatures.
  @Test(.enabled(if: Product.swift.python.isComplete, "\(Product.swift.python.reason)"))
  func `lets anybody read an object at a presigned URL for a while`() async throws {
    let store = try await Product.swift.store()
    try await store.put(.bytes([1, 2, 3]), as: "photos/a b+c", contentType: "application/octet-stream")
    let url = store.presignedURL(
      of: "photos/a b+c", validFor: 60, fields: [(name: "content-type", value: "image/png")])
    let response = try await Self.get(url)
    #expect(response.status == 200 && response.body == [1, 2, 3] && response["content-type"] == "image/png")
    let part = try await Self.get(url, fields: [(name: "Range", value: "bytes=1-1")])
    #expect(part.status == 206 && part.body == [2])

    let other = url.replacing("image%2Fpng", with: "image%2Fgif")
    #expect(try await Self.get(other).status == 403)
    let early = RetryClock(
      now: { RetryClock.system.now() - 61_000 }, uptime: RetryClock.system.uptime, sleep: { _ in })
    let ended = try await Product.swift.store(clock: early).presignedURL(of: "photos/a b+c", validFor: 60)
    #expect(try await Self.get(ended).status == 403)
    try await store.delete("photos/a b+c")
  }

  // moto takes any host below localhost for one of paths.
  @Test(.enabled(if: Product.swift.python.isComplete, "\(Product.swift.python.reason)"))
  func `has the same objects whether the bucket is in the path or in the host`() async throws {
    let (byPath, byHost) = (try await Product.swift.store(), try await Product.swift.store(style: .virtual))
    try await byHost.check()
    try await byHost.put(.bytes([1, 2, 3]), as: "style/a b+c", contentType: "image/png")
    #expect(try await byPath.get("style/a b+c", 0..<3) == [1, 2, 3])
    #expect(try await byHost.get("style/a b+c", 1..<3) == [2, 3])
    #expect(try await byHost.head("style/a b+c")?.byteCount == 3)
    let url = byHost.presignedURL(of: "style/a b+c", validFor: 60)
    #expect(url.hasPrefix("http://selfies.localhost:") && url.contains("/style/a%20b%2Bc?"))
    let response = try await Self.get(url)
    #expect(response.status == 200 && response.body == [1, 2, 3])
    try await byHost.delete("style/a b+c")
    #expect(try await byPath.head("style/a b+c") == nil)
  }

  private static func get(
    _ url: String, fields: [(name: String, value: String)] = []
  ) async throws -> ClientResponse {
    try await Blocking.run {
      try BlockingHTTPClient().perform(ClientRequest(method: .get, url: url, fields: fields, maxBodyBytes: 100))
    }
  }

  @Test(arguments: Product.installed) func `serves many requests at once`(product: Product) async throws {
    let store = try await product.store(threads: 4)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in UInt8(0)..<20 {
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

  private static func content(of key: String, byteCount: Int64, in store: ObjectStore) async throws -> [UInt8] {
    var content: [UInt8] = []
    while content.count < byteCount {
      let start = Int64(content.count)
      content += try await store.get(key, start..<min(byteCount, start + Int64(ObjectStore.maxPieceBytes)))
    }
    return content
  }
}
