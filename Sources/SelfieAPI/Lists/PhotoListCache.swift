import HTTPMessages
import Platform

/// Keeps short responses of get_photos for as long as nothing of their users has changed. Only where one process writes:
/// each write says whose data it changes.
final class PhotoListCache: Sendable {
  /// Bytes of all entries: some ten thousand short lists.
  private static let maxBytes = 16 * 1024 * 1024

  private struct State {
    /// An entry moves from `older` to `newer` when it is used. `older` is dropped when `newer` has half of the bytes.
    var newer: [UInt64: KnownPhotoList] = [:]
    var older: [UInt64: KnownPhotoList] = [:]
    var newerBytes = 0

    mutating func insert(_ entry: KnownPhotoList) {
      if newerBytes > maxBytes / 2 { (older, newer, newerBytes) = (newer, [:], 0) }
      newerBytes += entry.byteCount
      if let old = newer.updateValue(entry, forKey: entry.key) { newerBytes -= old.byteCount }
    }
  }

  private let state = Monitor(State())

  /// The entry of a token's digest, which may be out of date.
  subscript(digest: [UInt8]) -> KnownPhotoList? {
    let key = KnownPhotoList.key(of: digest)
    let found = state.withLock { state -> KnownPhotoList? in
      if let entry = state.newer[key] { return entry }
      guard let entry = state.older.removeValue(forKey: key) else { return nil }
      state.insert(entry)
      return entry
    }
    return found?.token.digest == digest ? found : nil
  }

  func insert(_ entry: KnownPhotoList) { state.withLock { $0.insert(entry) } }
}

/// A response of get_photos.
final class KnownPhotoList: Sendable {
  let token: Token
  /// The host of the request, which is part of the photos' addresses.
  let host: [UInt8]
  /// The database's `changeCount` of the user.
  let changeCount: Int
  let json: [UInt8]
  let tag: ETag

  init(token: Token, host: [UInt8], changeCount: Int, json: [UInt8], tag: ETag) {
    (self.token, self.host, self.changeCount, self.json, self.tag) = (token, host, changeCount, json, tag)
  }

  fileprivate var key: UInt64 { Self.key(of: token.digest) }

  /// The beginning of a token's digest, which is quicker to look up than all of it.
  fileprivate static func key(of digest: [UInt8]) -> UInt64 { digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

  /// With token, tag, host, and the entry's place in the cache.
  var byteCount: Int { json.count + 768 }
}
