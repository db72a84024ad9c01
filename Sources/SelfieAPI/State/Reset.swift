import SQLite

extension Application {
  /// Removes every user, token and photo, and forgets failed attempts at passwords; ids begin at 1 again. A request
  /// that is under way meanwhile finds either all or nothing; an upload whose user is gone is refused.
  ///
  /// - Returns: how many there were.
  @discardableResult
  public func reset() async throws -> StateCounts {
    let photos = photos
    let counts = try await photos.gate.alone(replaces: true) {
      let counts = try await database.write { try Self.removeAll(on: $0) }
      try await photos.collectRemovedInGate()
      return counts
    }
    guesses.limit?.forgetAll()
    return counts
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
