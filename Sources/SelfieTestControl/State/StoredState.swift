import Cryptography
import HTTPMessages
import Platform
import SQL
package import SQLite
package import SelfieAPI
package import SelfieTestDocuments

/// Exports, seeds, copies and resets everything that an application stores. `Snapshots` keeps copies under names, and
/// StoredState+Seed.swift stores seeds.
package struct StoredState: Sendable {
  package let application: Application
  /// The application's.
  let database: Database
  /// The next one begins whenever everything is replaced.
  let generations = Generations()
  let random: WorldRandom

  /// Removes the snapshots that an earlier process left behind.
  ///
  /// - Parameter random: of the application.
  package init(of application: Application, in database: Database, random: WorldRandom = WorldRandom()) {
    self.application = application
    self.database = database
    self.random = random
    Self.removeSnapshots(in: application.photos.files.layout)
  }

  /// Removes the snapshots that an earlier process left behind. A file that cannot be removed does no harm.
  package static func removeSnapshots(in layout: StorageLayout) { try? FileSystem.removeTree(layout.state) }

  var photos: PhotoLibrary { application.photos }
}

// MARK: - Tokens

extension StoredState {
  /// Lets tokens expire now.
  ///
  /// - Parameter email: the email of the tokens' user; nil for all users.
  /// - Returns: how many expired.
  /// - Throws: `ControlError` when the user does not exist.
  package func expireTokens(email: String? = nil) async throws -> Int64 {
    let now = application.clock()
    return try await database.write { connection in
      try connection.expireTokens(of: Self.userID(email, on: connection), now: now)
    }
  }

  /// Removes tokens, as signing out does.
  ///
  /// - Parameter email: the email of the tokens' user; nil for all users.
  /// - Returns: how many were removed, expired ones included.
  /// - Throws: `ControlError` when the user does not exist.
  package func revokeTokens(email: String? = nil) async throws -> Int64 {
    try await database.write { connection in
      let users =
        try Self.userID(email, on: connection).map { [$0] }
        ?? connection.all(UserStore.page(max: .max), as: User.self).map(\.id)
      return try users.reduce(0) { try $0 + connection.removeTokens(of: $1) }
    }
  }

  private static func userID(_ email: String?, on connection: Connection) throws -> Int64? {
    guard let email else { return nil }
    guard let user = try connection.first(UserStore.user(email: email), as: User.self) else {
      throw ControlError(
        .notFound, "There is no user with the email address \(email). Email addresses are case-sensitive.")
    }
    return user.id
  }
}

// MARK: - Reset

extension StoredState {
  /// Removes everything that the apps have stored, and forgets failed sign-ins. Ids begin at 1 again. A concurrent request
  /// sees either everything or nothing, and one that has not sent its whole body is refused.
  ///
  /// - Returns: how much was removed.
  @discardableResult
  package func reset() async throws -> StateCounts {
    await generations.next()
    let counts = try await photos.lock.withExclusive {
      let counts = try await removeAllMakingRoom()
      try await photos.bytes.purge()
      return counts
    }
    application.limits.forgetAll()
    random.restart()
    return counts
  }

  /// Deleting rows needs room in the database's log. If there is none, this makes room and tries again: it removes files of
  /// photos before their rows, which only a storage that need not survive a crash may do.
  private func removeAllMakingRoom() async throws -> StateCounts {
    do {
      return try await database.write { try $0.removeAll() }
    } catch  where StorageFailure(error).kind == .full && !photos.files.isDurable {
      try await photos.pool.run { [files = photos.files] in try files.removeAll() }
      return try await database.write { try $0.removeAll() }
    }
  }
}

// MARK: - Export

extension StoredState {
  /// The limit of all photos in an export: as base64, they fit in a seed.
  private static let maxPhotoBytes: Int64 = 64 * 1024 * 1024

  /// Exports everything that is stored at one instant, as a seed that makes it again.
  ///
  /// - Parameter withBytes: whether the seed has the bytes of the photos.
  package func export(withBytes: Bool = true) async throws -> Seed {
    let (database, files) = (database, photos.files)
    return try await photos.lock.withExclusive {
      try await photos.pool.run {
        let rows = try database.read { connection in try connection.snapshot { try StoredRows(on: connection) } }
        var seed = rows.document
        guard withBytes else { return seed }
        let total = rows.photos.reduce(0) { $0 + $1.byteCount }
        guard total <= Self.maxPhotoBytes else {
          throw ControlError(
            .conflict,
            """
            The photos have \(total) bytes, more than the \(Self.maxPhotoBytes) that a state can have. Save a snapshot, or \
            leave their bytes out with ?base64=false.
            """)
        }
        for user in seed.users.indices {
          for photo in seed.users[user].photos.indices {
            seed.users[user].photos[photo].base64 = try files.base64(of: seed.users[user].photos[photo])
          }
        }
        return seed
      }
    }
  }
}
