import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

/// The bytes of a photo, which outlive the photo: another name of its file, which is removed with the last reference.
final class Blob: Sendable {
  let sha256: [UInt8]
  let byteCount: Int64
  let type: ContentType
  let path: String

  fileprivate init(_ sha256: [UInt8], byteCount: Int64, type: ContentType, path: String) {
    (self.sha256, self.byteCount, self.type, self.path) = (sha256, byteCount, type, path)
  }

  deinit {
    // If that fails, the next start removes the file.
    _ = try? FileSystem.remove(path)
  }
}

/// Makes blobs for seeds, exports and snapshots, one for equal bytes, in the folder `state`. All methods block on the disk.
package final class BlobStore: Sendable {
  /// How many exports keep their blobs, so that they can be imported again. The oldest export loses its blobs first.
  static let maxExports = 100

  private struct State {
    /// Weak references to the blobs, by their digests. Those to none are removed when there are `maxEntries`.
    var blobs: [[UInt8]: () -> Blob?] = [:]
    var maxEntries = 1000
    /// The blobs of each export, the oldest export first.
    var exports: [[Blob]] = []
    var lastFile = 0
  }

  private let folder: String
  private let isDurable: Bool
  private let state = Monitor(State())

  init(_ layout: StorageLayout, isDurable: Bool) {
    folder = layout.state
    self.isDurable = isDurable
    Self.removeAll(in: layout)
  }

  /// Removes what an earlier process left behind. A file that cannot be removed does no harm.
  package static func removeAll(in layout: StorageLayout) {
    let folder = layout.state
    for name in (try? FileSystem.names(in: folder)) ?? [] { _ = try? FileSystem.remove("\(folder)/\(name)") }
  }

  /// The blob with this digest; nil if there is none.
  func blob(_ sha256: [UInt8]) -> Blob? { state.withLock { $0.blobs[sha256]?() } }

  /// The blob of a file that never changes.
  func blob(of path: String, _ sha256: [UInt8], byteCount: Int64, type: ContentType) throws -> Blob {
    try state.withLock { state in
      if let blob = state.blobs[sha256]?() { return blob }
      if state.blobs.count >= state.maxEntries {
        state.blobs = state.blobs.filter { $0.value() != nil }
        state.maxEntries = 1000 + 2 * state.blobs.count
      }
      if state.blobs.isEmpty { _ = try FileSystem.makeFolder(folder) }
      state.lastFile += 1
      let blob = Blob(sha256, byteCount: byteCount, type: type, path: "\(folder)/\(state.lastFile)")
      try FileSystem.link(path, to: blob.path)
      state.blobs[sha256] = { [weak blob] in blob }
      return blob
    }
  }

  func blob(of bytes: [UInt8]) throws -> Blob {
    try blob(Digest.sha256(bytes)) ?? newBlob { try $0(bytes) }
  }

  /// Copies a file, which may change or disappear later.
  ///
  /// - Parameter name: the file's, as the test has given it.
  /// - Throws: `NoPlainFile` when the file has more than `maxBytes`. Its nominal size does not count, since files under
  ///   /proc have none.
  func blob(copying file: PlainFile, named name: String, upTo maxBytes: Int64) throws -> Blob {
    try newBlob { write in
      var rest = maxBytes
      try FileSystem.forEachChunk(of: file.file, path: file.path) { bytes in
        rest -= Int64(bytes.count)
        guard rest >= 0 else { throw NoPlainFile("\(name) has more than \(maxBytes) bytes") }
        try write(bytes)
      }
    }
  }

  /// Keeps the blobs of an export.
  func keepForExport(_ blobs: [Blob]) {
    state.withLock { state in
      state.exports.append(blobs)
      if state.exports.count > Self.maxExports { state.exports.removeFirst() }
    }
  }

  /// Releases the blobs of all exports to make room.
  func forgetExports() {
    state.withLock { $0.exports = [] }
  }

  private typealias Writer = ([UInt8]) throws -> Void

  /// Makes a file of what `body` writes.
  private func newBlob(_ body: (Writer) throws -> Void) throws -> Blob {
    _ = try FileSystem.makeFolder(folder)
    let path = state.withLock { state in
      state.lastFile += 1
      return "\(folder)/\(state.lastFile)"
    }
    defer { _ = try? FileSystem.remove(path) }
    let file = try FileSystem.create(path)
    let digest = SHA256()
    var beginning: [UInt8] = []
    var byteCount: Int64 = 0
    try body { bytes in
      try FileSystem.write(bytes[...], to: file, path: path)
      digest.update(bytes)
      beginning += bytes.prefix(ContentType.neededBytes - beginning.count)
      byteCount += Int64(bytes.count)
    }
    if isDurable { try FileSystem.sync(file, path: path) }
    return try blob(of: path, digest.finish(), byteCount: byteCount, type: ContentType(beginning: beginning))
  }
}
