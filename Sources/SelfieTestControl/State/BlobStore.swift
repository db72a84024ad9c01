import Cryptography
import Glibc
import HTTPMessages
import Platform
import SelfieAPI

/// The digest, size and type of a photo's bytes.
struct Blob: Sendable, Equatable {
  let sha256: [UInt8]
  let byteCount: Int64
  let type: ContentType
}

/// Keeps the bytes of photos for exports and snapshots, so that they outlive the photos. A blob is the file
/// `state/<sha256>`, a second name of the photo's file. It is removed with its last reference, and in any case when a
/// server starts. All methods block on the disk.
package final class BlobStore: Sendable {
  /// How many exports keep their blobs, so that they can be imported again. The oldest export loses its blobs first.
  static let maxExports = 100

  private struct State {
    var kept: [[UInt8]: (content: Blob, references: Int)] = [:]
    /// The blobs of each export, the oldest export first.
    var exports: [[[UInt8]]] = []
    var partials = 0
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

  func path(of sha256: [UInt8]) -> String { "\(folder)/\(Digest.hex(sha256))" }

  /// Where a photo's new file waits until the row of the old one is replaced.
  func waitingPath(of id: String) -> String { "\(folder)/\(id)" }

  // MARK: - References

  /// Retains what `body` retains and adds to the list, or nothing if it fails.
  func retainAll(_ body: (inout [Blob]) throws -> Void) throws -> [Blob] {
    var retained: [Blob] = []
    do {
      try body(&retained)
      return retained
    } catch {
      release(retained.map(\.sha256))
      throw error
    }
  }

  /// Retains a blob that exists; nil when there is none with this digest.
  func retain(_ sha256: [UInt8]) -> Blob? {
    state.withLock { state in
      guard let content = state.kept[sha256]?.content else { return nil }
      state.kept[sha256]?.references += 1
      return content
    }
  }

  /// Retains the bytes of a file that never changes, by a second name of the file.
  func retain(_ content: Blob, at path: String) throws {
    try state.withLock { state in
      if state.kept.isEmpty { _ = try FileSystem.makeFolder(folder) }
      let references = state.kept[content.sha256]?.references ?? 0
      if references == 0 { try FileSystem.link(path, to: self.path(of: content.sha256)) }
      state.kept[content.sha256] = (content, references + 1)
    }
  }

  func retain(_ bytes: [UInt8]) throws -> Blob {
    try retain(Digest.sha256(bytes)) ?? retainNew { try $0(bytes) }
  }

  /// Retains a copy of a file, which may change or disappear later.
  ///
  /// - Parameter name: the file's, as the test has given it.
  /// - Throws: `NoPlainFile` when the file has more than `maxBytes`. Its nominal size does not count, since files under
  ///   /proc have none.
  func retain(copyOf file: PlainFile, named name: String, upTo maxBytes: Int64) throws -> Blob {
    try retainNew { write in
      var rest = maxBytes
      try FileSystem.forEachChunk(of: file.file, path: file.path) { bytes in
        rest -= Int64(bytes.count)
        guard rest >= 0 else { throw NoPlainFile("\(name) has more than \(maxBytes) bytes") }
        try write(bytes)
      }
    }
  }

  /// Gives a blob a file of its own when the one that it shares with photos cannot have more names. The caller must hold
  /// the blob, and the store exclusively.
  func renew(_ sha256: [UInt8]) throws {
    let path = path(of: sha256)
    guard let file = try FileSystem.open(path) else { throw FileError("open", path, number: ENOENT) }
    _ = try withPartial { write in
      try FileSystem.forEachChunk(of: file, path: path) { try write($0) }
    } then: { partial, _ in
      try FileSystem.rename(partial, to: path)
    }
  }

  /// Releases blobs, each as often as it occurs.
  func release(_ digests: [[UInt8]]) {
    state.withLock { release(digests, &$0) }
  }

  /// Passes the caller's references on to an export.
  func keepForExport(_ digests: [[UInt8]]) {
    state.withLock { state in
      state.exports.append(digests)
      if state.exports.count > Self.maxExports { release(state.exports.removeFirst(), &state) }
    }
  }

  /// Releases the blobs of all exports to make room.
  func forgetExports() {
    state.withLock { state in
      for digests in state.exports { release(digests, &state) }
      state.exports = []
    }
  }

  private func release(_ digests: [[UInt8]], _ state: inout State) {
    for sha256 in digests {
      guard let kept = state.kept[sha256] else { continue }
      if kept.references > 1 {
        state.kept[sha256]?.references -= 1
      } else {
        state.kept[sha256] = nil
        // If that fails, the next start removes the file.
        _ = try? FileSystem.remove(path(of: sha256))
      }
    }
  }

  // MARK: - Files

  private typealias Writer = ([UInt8]) throws -> Void

  private func retainNew(_ body: (Writer) throws -> Void) throws -> Blob {
    try withPartial(body) { partial, content in
      try retain(content, at: partial)
      try FileSystem.remove(partial)
    }
  }

  /// Makes a file of what `body` writes, and removes it if it or `use` fails.
  private func withPartial(
    _ body: (Writer) throws -> Void, then use: (_ path: String, Blob) throws -> Void
  ) throws -> Blob {
    _ = try FileSystem.makeFolder(folder)
    let number = state.withLock { state in
      state.partials += 1
      return state.partials
    }
    let path = "\(folder)/partial.\(number)"
    do {
      let file = try FileSystem.create(path)
      var digest = SHA256()
      var beginning: [UInt8] = []
      var byteCount: Int64 = 0
      try body { bytes in
        try FileSystem.write(bytes[...], to: file, path: path)
        digest.update(bytes)
        beginning += bytes.prefix(ContentType.neededBytes - beginning.count)
        byteCount += Int64(bytes.count)
      }
      if isDurable { try FileSystem.sync(file, path: path) }
      let content = Blob(sha256: digest.finish(), byteCount: byteCount, type: ContentType(beginning: beginning))
      try use(path, content)
      return content
    } catch {
      _ = try? FileSystem.remove(path)
      throw error
    }
  }
}
