import Platform
import SQLite

/// Keeps what was read from a file for as long as nothing of its user has changed: each write says whose data it
/// changes. Nothing is kept of a shared database, to which other processes write. `ChangeCounts` in SQLite counts the
/// changes.
final class ReadCache<Value: Sendable>: Sendable {
  private struct Entry {
    let id: [UInt8]
    let userID: Int64
    /// The database's `changeCount` of the user.
    let changeCount: Int
    let byteCount: Int
    let value: Value
  }

  private struct State {
    /// Entries move from `older` to `newer` when they are used. `older` is dropped when `newer` has half of the bytes.
    /// The keys are beginnings of ids, all of which are random.
    var newer: [UInt64: Entry] = [:]
    var older: [UInt64: Entry] = [:]
    var newerBytes = 0

    mutating func insert(_ entry: Entry, at key: UInt64, max: Int) {
      if newerBytes > max / 2 { (older, newer, newerBytes) = (newer, [:], 0) }
      newerBytes += entry.byteCount
      if let old = newer.updateValue(entry, forKey: key) { newerBytes -= old.byteCount }
    }
  }

  private let file: Database?
  private let maxBytes: Int
  private let state = Monitor(State())

  /// - Parameter maxBytes: of all values, with a share for each that counts its place.
  init(of database: ApplicationDatabase, maxBytes: Int) {
    file = database.file
    self.maxBytes = maxBytes
  }

  /// The value of an id; nil if there is none, or if something of its user has changed since it was read.
  subscript(id: [UInt8]) -> Value? {
    guard let file else { return nil }
    let key = Self.key(of: id)
    let found = state.withLock { state -> Entry? in
      if let entry = state.newer[key] { return entry }
      guard let entry = state.older.removeValue(forKey: key) else { return nil }
      state.insert(entry, at: key, max: maxBytes)
      return entry
    }
    guard let found, found.changeCount == file.changeCount(of: found.userID), found.id == id else { return nil }
    return found.value
  }

  /// To be called before a value is read.
  func beginReading() -> Int { file?.commitCount ?? 0 }

  /// Keeps a value that was read, unless something has been committed since the reading began: it might be counted, but
  /// not in the value.
  ///
  /// - Parameter start: the result of `beginReading`.
  func keep(_ value: Value, as id: [UInt8], of userID: Int64, byteCount: Int, readSince start: Int) {
    guard let file else { return }
    let changeCount = file.changeCount(of: userID)
    guard file.commitCount == start else { return }
    let entry = Entry(
      id: id, userID: userID, changeCount: changeCount, byteCount: byteCount + Self.entryBytes, value: value)
    state.withLock { $0.insert(entry, at: Self.key(of: id), max: maxBytes) }
  }

  /// The memory of an entry with its id, its place, and what belongs to a short value.
  private static var entryBytes: Int { 512 }

  private static func key(of id: [UInt8]) -> UInt64 { id.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
