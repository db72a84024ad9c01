import Platform
import SQLite
import SelfieAPI

/// Exports, replaces, seeds and resets everything that an application stores.
package struct StoredState: Sendable {
  package let application: Application
  /// The application's.
  let database: Database
  /// The bytes of photos in exports and snapshots.
  let blobs: BlobStore
  /// The next one begins whenever everything is replaced.
  let generations = Generations()

  /// Removes the blobs that an earlier process left behind.
  package init(of application: Application, in database: Database) {
    self.application = application
    self.database = database
    let files = application.photos.files
    blobs = BlobStore(files.layout, isDurable: files.isDurable)
  }

  var photos: PhotoLibrary { application.photos }
}

// MARK: - Tokens

extension StoredState {
  /// Lets tokens expire now.
  ///
  /// - Parameter email: the email of the tokens' user; nil for all users.
  /// - Returns: how many expired.
  /// - Throws: `ControlError` when the user does not exist.
  public func expireTokens(email: String? = nil) async throws -> Int64 {
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
  public func revokeTokens(email: String? = nil) async throws -> Int64 {
    try await database.write { connection in
      try Self.userID(email, on: connection).map(connection.removeTokens) ?? connection.removeAllTokens()
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
  /// When the disk is full, the blobs of exports are released too.
  ///
  /// - Returns: how much was removed.
  @discardableResult
  public func reset() async throws -> StateCounts {
    await generations.next()
    let counts = try await photos.lock.withExclusive {
      let counts = try await removeAllMakingRoom()
      try await photos.bytes.purge()
      return counts
    }
    application.limits.forgetAll()
    return counts
  }

  /// Deleting rows needs room in the database's log. If there is none, this makes room and tries again.
  private func removeAllMakingRoom() async throws -> StateCounts {
    // The second way removes files of photos before their rows, which only a storage that need not survive a crash may do.
    let ways: [@Sendable () throws -> Void] =
      [{ blobs.forgetExports() }] + (photos.files.isDurable ? [] : [{ try photos.files.removeAll() }])
    for makeRoom in ways {
      do {
        return try await database.write { try $0.removeAll() }
      } catch  where StorageFailure(error).kind == .full {
        try await photos.pool.run(makeRoom)
      }
    }
    return try await database.write { try $0.removeAll() }
  }
}

// The rows of everything that is stored.

extension StateDocument {
  /// Reads everything but the photos, whose files belong to them.
  init(on connection: Connection) throws {
    self.init()
    users = try connection.all(UserStore.page(max: .max))
    tokens = try connection.all(TokenStore.page(max: .max))
      .sorted { ($0.userID, $0.createdAt) < ($1.userID, $1.createdAt) }
    notes = try connection.all(NoteStore.page(max: .max))
    microblog.users = try connection.all(MicroblogUserStore.page(max: .max))
    microblog.sessions = try connection.all(MicroblogSessionStore.page(max: .max))
      .sorted { ($0.userID, $0.usedAt) < ($1.userID, $1.usedAt) }
    microblog.blogposts = try connection.all(BlogpostStore.page(max: .max))
    for (table, lastID) in Self.lastIDs { self[keyPath: lastID] = try connection.lastRowID(of: table) }
  }

  /// The tables in which no id is given twice.
  fileprivate static let lastIDs: [(table: String, path: WritableKeyPath<Self, Int64?> & Sendable)] = [
    ("users", \.lastUserID), ("photos", \.lastPhotoID), ("notes", \.lastNoteID),
    ("microblog_users", \.microblog.lastUserID), ("blogposts", \.microblog.lastBlogpostID),
  ]
}

extension Connection {
  /// Replaces everything.
  func replaceAll(by document: StateDocument, _ photos: [Photo]) throws {
    _ = try removeAll()
    for user in document.users { try insert(user) }
    for token in document.tokens { try insert(token) }
    try insert(photos)
    try insert(document.notes)
    for user in document.microblog.users { try insert(user) }
    for session in document.microblog.sessions { try insert(session) }
    try insert(document.microblog.blogposts)
    for (table, lastID) in StateDocument.lastIDs {
      try setLastRowID(max(document[keyPath: lastID] ?? 0, lastRowID(of: table)), of: table)
    }
  }

  /// Removes everything. Ids begin at 1 again.
  func removeAll() throws -> StateCounts {
    // Users go after what belongs to them, because deleting a user deletes his photos and sessions uncounted.
    var counts = StateCounts()
    counts.tokens = try removeAllTokens()
    counts.photos = try number(PhotoStore.totals)
    counts.notes = try removeAllNotes()
    counts.users = try removeAllUsers()
    counts.blogposts = try removeAllBlogposts()
    counts.microblogUsers = try removeAllMicroblogUsers()
    for (table, _) in StateDocument.lastIDs { try setLastRowID(0, of: table) }
    return counts
  }
}
