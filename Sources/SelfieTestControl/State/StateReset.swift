import SQLite
import SelfieAPI

extension StoredState {
  /// Removes everything that the apps have stored, and forgets failed sign-ins. Ids begin at 1 again. A concurrent request sees
  /// either everything or nothing, and an upload whose user is gone is refused.
  ///
  /// When the disk is full, the blobs of exports are released too.
  ///
  /// - Returns: how much was removed.
  @discardableResult
  public func reset() async throws -> StateCounts {
    let photos = photos
    let counts = try await photos.lock.withExclusive {
      let counts = try await removeAllMakingRoom()
      try await photos.bytes.purge()
      return counts
    }
    application.resetLimits()
    return counts
  }

  /// Deleting rows needs room in the database's log. If there is none, this makes room and tries again.
  private func removeAllMakingRoom() async throws -> StateCounts {
    let photos = photos
    // The second way removes files of photos before their rows, which only a storage that need not survive a crash may do.
    let ways: [@Sendable () throws -> Void] =
      [{ blobs.forgetExports() }] + (photos.files.isDurable ? [] : [{ try photos.files.removeAll() }])
    for makeRoom in ways {
      do {
        return try await database.write { try Self.removeAll(on: $0) }
      } catch  where StorageFailure(error).kind == .full {
        try await photos.pool.run(makeRoom)
      }
    }
    return try await database.write { try Self.removeAll(on: $0) }
  }

  static func removeAll(on connection: Connection) throws -> StateCounts {
    // Children first, so that SQLite need not follow foreign keys.
    let tokens = try connection.removeAllTokens()
    let photos = try connection.removeAllPhotos()
    let notes = try connection.removeAllNotes()
    let users = try connection.removeAllUsers()
    try UserStore.setLastID(0, on: connection)
    try PhotoStore.setLastID(0, on: connection)
    try NoteStore.setLastID(0, on: connection)
    let microblog = try MicroblogState.removeAll(on: connection)
    return StateCounts(
      users: users, tokens: tokens, photos: photos, notes: notes, microblogUsers: microblog.users,
      blogposts: microblog.blogposts)
  }
}
