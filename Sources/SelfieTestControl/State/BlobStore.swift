import Cryptography
import Glibc
import HTTPMessages
import Platform
import SelfieAPI

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

  /// Retains a blob that exists; nil when there is none with this digest.
  func retain(_ sha256: [UInt8]) -> Blob? {
    state.withLock { state in
      guard let content = state.kept[sha256]?.content else { return nil }
      state.kept[sha256]?.references += 1
      return content
    }
  }

  /// Retains the bytes of a file that never changes, by a second name of the file.
  func retain(_ content: Blob, at path: String) throws(FileError) {
    try keep(content) { () throws(FileError) in try FileSystem.link(path, to: self.path(of: content.sha256)) }
  }

  func retain(_ bytes: [UInt8]) throws(FileError) -> Blob {
    let content = Blob(
      sha256: Digest.sha256(bytes), byteCount: Int64(bytes.count),
      type: ContentType(beginning: Array(bytes.prefix(ContentType.neededBytes))))
    let path = path(of: content.sha256)
    try keep(content) { () throws(FileError) in
      let file = try FileSystem.create(path)
      do throws(FileError) {
        try FileSystem.write(bytes[...], to: file, path: path)
        if isDurable { try FileSystem.sync(file, path: path) }
      } catch {
        _ = try? FileSystem.remove(path)
        throw error
      }
    }
    return content
  }

  /// Retains a copy of a file, which may change or disappear later.
  ///
  /// - Throws: `PhotoTooLarge` when the file has more than `maxBytes`. Its nominal size does not count, since files under
  ///   /proc have none.
  func retain(copyOf file: PlainFile, upTo maxBytes: Int64) throws -> Blob {
    let partial = try makePartial()
    do {
      var digest = SHA256()
      var beginning: [UInt8] = []
      var byteCount: Int64 = 0
      let copy = try FileSystem.create(partial)
      try FileSystem.forEachChunk(of: file.file, path: file.path) { bytes in
        guard Int64(bytes.count) <= maxBytes - byteCount else { throw PhotoTooLarge() }
        try FileSystem.write(bytes[...], to: copy, path: partial)
        digest.update(bytes)
        if byteCount == 0 { beginning = Array(bytes.prefix(ContentType.neededBytes)) }
        byteCount += Int64(bytes.count)
      }
      if isDurable { try FileSystem.sync(copy, path: partial) }
      let content = Blob(
        sha256: digest.finish(), byteCount: byteCount, type: ContentType(beginning: beginning))
      try retain(content, at: partial)
      try FileSystem.remove(partial)
      return content
    } catch {
      _ = try? FileSystem.remove(partial)
      throw error
    }
  }

  /// Gives a blob a file of its own when the one that it shares with photos cannot have more names. The caller must hold
  /// the blob, and the store exclusively.
  func renew(_ sha256: [UInt8]) throws {
    let (path, partial) = (path(of: sha256), try makePartial())
    do {
      guard let file = try FileSystem.open(path) else { throw FileError("open", path, number: ENOENT) }
      let copy = try FileSystem.create(partial)
      try FileSystem.forEachChunk(of: file, path: path) { bytes in
        try FileSystem.write(bytes[...], to: copy, path: partial)
      }
      if isDurable { try FileSystem.sync(copy, path: partial) }
      try FileSystem.rename(partial, to: path)
    } catch {
      _ = try? FileSystem.remove(partial)
      throw error
    }
  }

  private static let chunkBytes = 256 * 1024

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

  // MARK: - Files

  private func keep(_ content: Blob, make: () throws(FileError) -> Void) throws(FileError) {
    let result = state.withLock { state -> Result<Void, FileError> in
      if state.kept[content.sha256] != nil {
        state.kept[content.sha256]?.references += 1
        return .success(())
      }
      do throws(FileError) {
        if state.kept.isEmpty { _ = try FileSystem.makeFolder(folder) }
        try make()
      } catch {
        return .failure(error)
      }
      state.kept[content.sha256] = (content, 1)
      return .success(())
    }
    try result.get()
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

  private func makePartial() throws(FileError) -> String {
    _ = try FileSystem.makeFolder(folder)
    let number = state.withLock { state in
      state.partials += 1
      return state.partials
    }
    return "\(folder)/partial.\(number)"
  }
}

/// A file is larger than a photo may be.
struct PhotoTooLarge: Error {}

/// The digest, size and type of a photo's bytes.
struct Blob: Sendable, Equatable {
  let sha256: [UInt8]
  let byteCount: Int64
  let type: ContentType
}
