import SQLite
import SelfieAPI

extension StoredState {
  /// Removes every user, token and photo, and forgets failed attempts at passwords; ids begin at 1 again. A request
  /// that is under way meanwhile finds either all or nothing; an upload whose user is gone is refused.
  ///
  /// Where there is no room, what was kept for exports is forgotten, too.
  ///
  /// - Returns: how many there were.
  @discardableResult
  public func reset() async throws -> StateCounts {
    let photos = photos
    let counts = try await photos.gate.alone(replaces: true) {
      let counts = try await removeAllMakingRoom()
      try await photos.collectRemovedInGate()
      return counts
    }
    application.guesses.limit?.forgetAll()
    return counts
  }

  /// Deleting rows takes room at first: for the log that they are deleted in.
  private func removeAllMakingRoom() async throws -> StateCounts {
    let photos = photos
    // The last frees the files of photos before their rows: only where nothing needs to outlive a crash in between.
    let ways: [@Sendable () throws -> Void] =
      [{ contents.forgetExports() }] + (photos.files.isDurable ? [] : [{ try photos.files.removeAll() }])
    for makeRoom in ways {
      do {
        return try await database.write { try Self.removeAll(on: $0) }
      } catch  where RequestFailure(error) == .storageFull {
        try await photos.lane.run(makeRoom)
      }
    }
    return try await database.write { try Self.removeAll(on: $0) }
  }

  static func removeAll(on connection: Connection) throws -> StateCounts {
    // Children first, so that no foreign key has to be followed.
    let tokens = try TokenStore.removeAll(on: connection)
    let photos = try PhotoStore.removeAll(on: connection)
    let users = try UserStore.removeAll(on: connection)
    try UserStore.setLastID(0, on: connection)
    try PhotoStore.setLastID(0, on: connection)
    return StateCounts(users: users, tokens: tokens, photos: photos)
  }
}
