import APITestSupport
import HTTPMessages
import Platform
import Synchronization
import Testing

@testable import SelfieAPI

/// When the bytes of an upload go to the disk.
@Suite struct PhotoUploadTests {
  private static let id = String(repeating: "k", count: Photo.idLength)

  @Test(
    arguments: [
      (600_000, true, false), (600_000, false, true), (1_100_000, true, true), (150_000, false, false),
    ])
  func `a photo is written a chunk at a time unless it may be held`(
    _ count: Int, mayBeHeld: Bool, isWritten: Bool
  ) async throws {
    let api = try APIFixture()
    let bytes = Samples.bytes(count)
    let upload = api.application.photos.newUpload(id: Self.id)
    for start in stride(from: 0, to: count, by: 50_000) {
      try await upload.append(bytes[start...].prefix(50_000), isHeld: mayBeHeld)
    }
    #expect(try api.folder.names(in: "incoming") == (isWritten ? [Self.id] : []))
    try await upload.publish()
    #expect(try api.folder.bytes(of: "photos/kk/\(Self.id)") == bytes)
  }

  @Test(arguments: [[1], [1, 5_000], [4_095, 4_096, 4_097], [7, 200_000, 7]])
  func `the file has all pieces in their order, though short ones are joined`(_ sizes: [Int]) async throws {
    let api = try APIFixture()
    let bytes = Samples.bytes(300_000)
    let upload = api.application.photos.newUpload(id: Self.id)
    var (rest, flow) = (bytes[...], 0)
    while !rest.isEmpty {
      let piece = rest.prefix(sizes[flow % sizes.count])
      try await upload.append(piece, isHeld: true)
      rest = rest.dropFirst(piece.count)
      flow += 1
    }
    try await upload.publish()
    #expect(try api.folder.bytes(of: "photos/kk/\(Self.id)") == bytes)
  }

  @Test func `no name stays in incoming when the threads take no more work at the end of an upload`() async throws {
    let api = try APIFixture()
    do {
      let upload = api.application.photos.newUpload(id: Self.id)
      try await upload.append(Samples.bytes(100)[...])
      try await upload.publish()
      api.application.photos.pool.shutDown()
      upload.removeIncoming()
    }
    #expect(try api.folder.names(in: "incoming") == [])
  }

  @Test(arguments: [(0, 600_000, false), (2 << 20, 600_000, true), (0, nil, true)])
  func `a short photo is held only while the server's clients hold little memory`(
    _ usedBytes: Int, length: Int?, isWritten: Bool
  ) async throws {
    let (api, token) = try await APIFixture.withUser()
    let budget = MemoryBudget(limit: 8 << 20)
    budget.add(usedBytes)
    let body = MultipartBody.upload(Samples.bytes(500_000), title: "t")
    let folder = api.folder
    let source = WatchedBody(PiecesBody(body, sizes: [64 * 1024])) { (try? folder.names(in: "incoming")) != [] }
    let response = await api.upload(
      RequestBody(length: length.map { _ in body.count }, source: source, memory: RequestMemory(of: budget)),
      token: token)
    #expect(response.status == .ok)
    #expect(source.hasSeen.load(ordering: .relaxed) == isWritten)
  }
}

/// A body that notes whether something was the case before one of its pieces.
private final class WatchedBody: RequestBody.Source {
  let hasSeen = Atomic<Bool>(false)
  private let body: any RequestBody.Source
  private let isSeen: @Sendable () -> Bool

  init(_ body: any RequestBody.Source, isSeen: @escaping @Sendable () -> Bool) {
    self.body = body
    self.isSeen = isSeen
  }

  func next() async throws(BodyError) -> [UInt8]? {
    if isSeen() { hasSeen.store(true, ordering: .relaxed) }
    return try await body.next()
  }
}
