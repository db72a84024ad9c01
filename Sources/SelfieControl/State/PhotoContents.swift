import Cryptography
import Glibc
import HTTPMessages
import Platform
import SelfieAPI

/// The bytes of photos that exports and snapshots speak of, so that they outlive the photos: `state/<sha256>`, a second
/// name of the photo's file. A content goes with the last that holds it, and all of them at the end of the server: what
/// an earlier one left is removed at the start. Everything here waits for the disk.
package final class PhotoContents: Sendable {
  /// Exports whose photos are kept, so that they can be imported again; of more, the oldest are forgotten.
  static let mostExports = 100

  private struct State {
    var kept: [[UInt8]: (content: PhotoContent, holders: Int)] = [:]
    /// What each export holds, the oldest first.
    var exports: [[[UInt8]]] = []
    var partials = 0
  }

  private let folder: String
  private let isDurable: Bool
  private let state = Monitor(State())

  init(storage: String, isDurable: Bool) {
    folder = "\(storage)/state"
    self.isDurable = isDurable
    Self.removeAll(storage: storage)
  }

  /// Removes what an earlier process left; what cannot be removed is in nobody's way.
  package static func removeAll(storage: String) {
    let folder = "\(storage)/state"
    for name in (try? FileSystem.names(in: folder)) ?? [] { _ = try? FileSystem.remove("\(folder)/\(name)") }
  }

  func path(of sha256: [UInt8]) -> String { "\(folder)/\(Digest.hex(sha256))" }

  /// Where the next file of a photo waits until the one in its place is not needed any more.
  func waitingPath(of id: String) -> String { "\(folder)/\(id)" }

  // MARK: - To hold and to let go

  /// Holds what is kept already; nil when there is no such content.
  func hold(_ sha256: [UInt8]) -> PhotoContent? {
    state.withLock { state in
      guard let content = state.kept[sha256]?.content else { return nil }
      state.kept[sha256]?.holders += 1
      return content
    }
  }

  /// Holds the content of a file, which never changes, by a second name of it.
  func hold(_ content: PhotoContent, at path: String) throws(FileError) {
    try keep(content) { () throws(FileError) in try FileSystem.link(path, to: self.path(of: content.sha256)) }
  }

  func hold(_ bytes: [UInt8]) throws(FileError) -> PhotoContent {
    let content = PhotoContent(
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

  /// Holds a copy of a file, which may change or go afterwards.
  ///
  /// - Throws: `PhotoTooLarge` when there are more than `mostBytes`, whatever the length that the file was said to have:
  ///   those under /proc have none.
  func hold(copyOf file: PhotoSource.File, upTo mostBytes: Int64) throws -> PhotoContent {
    let partial = try makePartial()
    do {
      var digest = SHA256()
      var beginning: [UInt8] = []
      var byteCount: Int64 = 0
      let copy = try FileSystem.create(partial)
      try FileSystem.forEachStretch(of: file.file, path: file.path) { bytes in
        guard Int64(bytes.count) <= mostBytes - byteCount else { throw PhotoTooLarge() }
        try FileSystem.write(bytes[...], to: copy, path: partial)
        digest.update(bytes)
        if byteCount == 0 { beginning = Array(bytes.prefix(ContentType.neededBytes)) }
        byteCount += Int64(bytes.count)
      }
      if isDurable { try FileSystem.sync(copy, path: partial) }
      let content = PhotoContent(
        sha256: digest.finish(), byteCount: byteCount, type: ContentType(beginning: beginning))
      try hold(content, at: partial)
      try FileSystem.remove(partial)
      return content
    } catch {
      _ = try? FileSystem.remove(partial)
      throw error
    }
  }

  /// Gives a content a file of its own, where the one that it shares with photos can have no more names. For who holds
  /// it, and is alone in the gate.
  func renew(_ sha256: [UInt8]) throws(FileError) {
    let (path, partial) = (path(of: sha256), try makePartial())
    do throws(FileError) {
      guard let file = try FileSystem.open(path) else { throw FileError("open", path, number: ENOENT) }
      let copy = try FileSystem.create(partial)
      var offset: Int64 = 0
      while case let bytes = try FileSystem.read(file, at: off_t(offset), Self.stretch, path: path), !bytes.isEmpty {
        try FileSystem.write(bytes[...], to: copy, path: partial)
        offset += Int64(bytes.count)
      }
      if isDurable { try FileSystem.sync(copy, path: partial) }
      try FileSystem.rename(partial, to: path)
    } catch {
      _ = try? FileSystem.remove(partial)
      throw error
    }
  }

  /// Bytes that are copied at once.
  private static let stretch = 256 * 1024

  /// Lets go of contents, each as often as it is named.
  func release(_ digests: [[UInt8]]) {
    state.withLock { release(digests, &$0) }
  }

  /// Goes on holding, for an export, what the caller holds.
  func keepForExport(_ digests: [[UInt8]]) {
    state.withLock { state in
      state.exports.append(digests)
      if state.exports.count > Self.mostExports { release(state.exports.removeFirst(), &state) }
    }
  }

  /// Forgets what is kept for exports, so that there is room for something else.
  func forgetExports() {
    state.withLock { state in
      for digests in state.exports { release(digests, &state) }
      state.exports = []
    }
  }

  // MARK: - Files

  private func keep(_ content: PhotoContent, make: () throws(FileError) -> Void) throws(FileError) {
    let result = state.withLock { state -> Result<Void, FileError> in
      if state.kept[content.sha256] != nil {
        state.kept[content.sha256]?.holders += 1
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
      if kept.holders > 1 {
        state.kept[sha256]?.holders -= 1
      } else {
        state.kept[sha256] = nil
        // One that cannot be removed is removed at the next start.
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

/// A file has more bytes than a photo may have.
struct PhotoTooLarge: Error {}
