import Cryptography
import HTTPMessages
import Platform
import SQLite
import SelfieAPI
package import SelfieTestDocuments

/// Saves the stored data under names, so that a test can restore it. Snapshots last as long as the server runs and
/// survive a reset. `StoredState` seeds, exports and resets the data.
package final class Snapshots: Sendable {
  /// More than a test needs. Each snapshot keeps a copy of the database, and the files of its photos.
  package static let maxCount = 100

  private let state: StoredState
  private typealias ByName = [String: StateCopy]
  private let snapshots = Monitor(ByName())

  package init(of state: StoredState) {
    self.state = state
  }

  /// All snapshots, sorted by name.
  package var list: [Snapshot] {
    snapshots.withLock { $0.values.map(\.snapshot) }.sorted { $0.name < $1.name }
  }

  /// Saves the stored data under a name, in place of an earlier snapshot of that name.
  ///
  /// - Parameter name: 1 to 64 letters, digits, dots, hyphens and underscores, but not `.` or `..`.
  /// - Throws: `ControlError` when there are too many.
  @discardableResult
  package func save(_ name: String) async throws -> Snapshot {
    guard name.isResourceName else {
      throw ControlError(.badRequest, "A snapshot's name must have \(String.resourceNameRule)")
    }
    let copy = try await state.copy(named: name)
    try await change { snapshots in
      guard snapshots[name] != nil || snapshots.count < Self.maxCount else {
        throw ControlError(
          .tooManyRequests, "There are \(Self.maxCount) snapshots, which is the maximum. Delete one, or replace one.")
      }
      snapshots[name] = copy
    }
    return copy.snapshot
  }

  /// Replaces the stored data by that of a snapshot.
  ///
  /// - Throws: `ControlError` when the snapshot does not exist.
  @discardableResult
  package func restore(_ name: String) async throws -> Snapshot {
    guard let copy = snapshots.withLock({ $0[name] }) else { throw Self.unknown(name) }
    try await state.restore(copy)
    return copy.snapshot
  }

  /// Deletes a snapshot.
  ///
  /// - Throws: `ControlError` when the snapshot does not exist.
  package func delete(_ name: String) async throws {
    try await change { guard $0.removeValue(forKey: name) != nil else { throw Self.unknown(name) } }
  }

  /// Changes the snapshots in the pool, since the files of those that leave are removed.
  private func change(_ body: @escaping @Sendable (inout ByName) throws -> Void) async throws {
    try await state.photos.pool.run { try self.snapshots.withLock(body) }
  }

  private static func unknown(_ name: String) -> ControlError {
    ControlError(.notFound, "There is no snapshot named \(name).")
  }
}

/// A copy of the database by SQLite, and other names of the photos' files, in a folder that is removed with the last
/// reference.
final class StateCopy: Sendable {
  let folder: String
  let snapshot: Snapshot
  fileprivate let random: SeededGenerator?

  fileprivate init(folder: String, _ snapshot: Snapshot, random: SeededGenerator?) {
    (self.folder, self.snapshot, self.random) = (folder, snapshot, random)
  }

  deinit {
    // If that fails, the next start removes the folder.
    try? FileSystem.removeTree(folder)
  }

  fileprivate static func rows(in folder: String) throws -> StoredRows {
    let connection = try Connection(path: database(in: folder), mode: .immutable)
    defer { connection.close() }
    return try StoredRows(on: connection)
  }

  fileprivate static func database(in folder: String) -> String { "\(folder)/database" }
}

extension StoredState {
  /// Copies everything that is stored at one instant.
  fileprivate func copy(named name: String) async throws -> StateCopy {
    // The world's own numbers come again.
    let (database, files, folderName) = (database, photos.files, RandomSource.system.letters(16))
    let savedAt = TestInstant(milliseconds: application.clock())
    return try await photos.lock.withExclusive {
      try await photos.pool.run {
        let folder = "\(files.layout.state)/\(folderName)"
        for folder in [files.layout.state, folder] { _ = try FileSystem.makeFolder(folder) }
        do {
          try database.read { try $0.copy(to: StateCopy.database(in: folder)) }
          let rows = try StateCopy.rows(in: folder)
          for photo in rows.photos {
            try files.check(photo.randomID, byteCount: photo.byteCount)
            try FileSystem.link(files.path(of: photo.randomID), to: "\(folder)/\(photo.randomID)")
          }
          return StateCopy(
            folder: folder, Snapshot(SnapshotName(name: name, savedAt: savedAt), rows.counts), random: random.position)
        } catch {
          try? FileSystem.removeTree(folder)
          throw error
        }
      }
    }
  }

  /// Replaces everything that is stored, in one step. Failed sign-ins are forgotten.
  fileprivate func restore(_ copy: StateCopy) async throws {
    let (database, files, folder) = (database, photos.files, copy.folder)
    await generations.next()
    try await photos.lock.withExclusive {
      let (rows, missing, replaced) = try await photos.pool.run {
        let rows = try StateCopy.rows(in: folder)
        let ids = try Dictionary(grouping: rows.photos.map(\.randomID)) { try files.isLinked($0, from: folder) }
        return (rows, ids[.none] ?? [], ids[.some(false)] ?? [])
      }
      try await photos.withFiles(of: missing) {
        try $0.link(missing, from: folder)
      } write: {
        try await database.write { try $0.replaceAll(by: rows) }
      }
      // Other photos had their ids, which tests choose.
      try await photos.pool.run { try files.link(replaced, from: folder) }
      try await photos.bytes.purge()
    }
    random.resume(at: copy.random)
    application.limits.forgetAll()
  }
}
