import Cryptography
import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI
package import SelfieTestDocuments

// Stores a seed. SeedRules.swift validates its records, and SeedRows.swift makes rows of them.
extension StoredState {
  /// Adds users with what they have, either all or none.
  ///
  /// Users of one seed with the same password share a hash, so that many of them take no longer than one.
  ///
  /// - Parameter parts: of the multipart body.
  /// - Returns: the seed as it is stored, with plain passwords, tokens and cookies.
  /// - Throws: `ControlError` with what is invalid or exists already.
  @discardableResult
  package func seed(_ seed: Seed, parts: Seed.Parts = [:]) async throws -> Seed {
    let (application, database, photos, now) = (application, database, photos, application.clock())
    let maxPhotoBytes = application.settings.maxPhotoBytes
    try await application.lists.run { try seed.validate(parts: parts, maxPhotoBytes: maxPhotoBytes, now: now) }
    random.mix((try? JSONWriter.encode(seed)) ?? [])
    let seed = seed.withPasswords
    var hashes: [ExactText: String] = [:]
    let passwords = seed.users.map(\.password) + seed.microblogUsers.map(\.password)
    for password in Set(passwords.compactMap { $0.map(ExactText.init) }) {
      hashes[password] = try await application.passwords.hash(Array(password.description.utf8))
    }
    let contents = try await application.lists.run {
      seed.users.map { $0.photos.map { SeedPhoto($0, in: parts, random: application.random, now: now) } }
    }
    let seeding = Seeding(
      seed: seed, photos: contents.map { $0.map(\.row) }, hashes: hashes, random: application.random, now: now,
      expiry: application.tokenIssuer.expiry(from: now))
    return try await photos.lock.withExclusive {
      try await photos.pool.run { try database.read { try seeding.checkTaken(on: $0) } }
      // Nothing else makes photos meanwhile, so that none of these files is another photo's.
      return try await photos.withFiles(of: seeding.photos.joined().map(\.randomID)) { files in
        try files.make(contents.joined().map { PhotoContent(id: $0.row.randomID, bytes: $0.bytes) })
      } write: {
        try await database.write { try seeding.insert(on: $0) }
      }
    }
  }
}

extension Seed {
  /// With the password of each user whose hash is not given.
  fileprivate var withPasswords: Seed {
    var seed = self
    for index in users.indices where users[index].passwordHash == nil {
      seed.users[index].password = users[index].password ?? Seed.defaultPassword
    }
    for (index, user) in microblogUsers.enumerated() where user.passwordHash == nil {
      seed.microblog?.users[index].password = user.password ?? Seed.defaultPassword
    }
    return seed
  }
}

/// A photo of a seed: its row, whose user is not stored yet, and its bytes.
private struct SeedPhoto: Sendable {
  let row: Photo
  let bytes: [UInt8]

  init(_ photo: Seed.Photo, in parts: Seed.Parts, random: RandomSource, now: Int64) {
    bytes = photo.bytes(in: parts) ?? []
    let name = photo.name ?? photo.part.flatMap { parts[$0]?.filename } ?? "photo"
    row = Photo(
      randomID: photo.randomID ?? random.letters(Photo.idLength), userID: 0, name: name.isEmpty ? nil : name,
      title: photo.title ?? "", byteCount: Int64(bytes.count), contentType: ContentType(beginning: bytes).name,
      createdAt: photo.createdAt?.milliseconds ?? now, updatedAt: photo.updatedAt?.milliseconds,
      sha256: Digest.sha256(bytes))
  }
}

/// Inserts a seed in a transaction. What the seed omits is made up.
private struct Seeding {
  let seed: Seed
  /// Of each user, without the user's id.
  let photos: [[Photo]]
  /// Of all passwords.
  let hashes: [ExactText: String]
  let random: RandomSource
  /// Unix milliseconds.
  let now: Int64
  /// Of tokens that are given none.
  let expiry: Int64

  /// Throws a sentence for everything that exists already. What the server makes up does not.
  func checkTaken(on connection: Connection) throws {
    let users = seed.users.flatMap { user in
      [(UserStore.user(email: user.email), "user with the email address \(user.email)")]
        + user.tokens.compactMap { Self.secret($0.token, $0.digest, "token", TokenStore.token(digest:)) }
        + user.photos.compactMap(\.randomID).map { (PhotoStore.photo(randomID: $0), "photo \($0)") }
    }
    let microblogUsers = seed.microblogUsers.flatMap { user in
      [(MicroblogUserStore.user(name: user.name), "Microblog user with the name \(user.name)")]
        + user.sessions.compactMap { Self.secret($0.cookie, $0.digest, "session", MicroblogSessionStore.session) }
        + user.blogposts.compactMap(\.uuid).map { (BlogpostStore.rowID(of: $0), "post \($0)") }
    }
    let taken = try (users + microblogUsers).filter { try connection.exists($0.0) }
    guard taken.isEmpty else { throw ControlError(.conflict, taken.map { "There is already a \($0.1)." }) }
  }

  /// How to look for a token or a cookie, and what to call it; nil for one that the server makes up.
  private static func secret(
    _ text: String?, _ digest: String?, _ noun: String, _ query: ([UInt8]) -> Query
  ) -> (Query, String)? {
    guard let bytes = text.map({ Digest.sha256(Array($0.utf8)) }) ?? bytes(digest) else { return nil }
    return (query(bytes), "\(noun) \(text ?? digest ?? "")")
  }

  /// - Returns: what is stored.
  func insert(on connection: Connection) throws -> Seed {
    try checkTaken(on: connection)
    return Seed(
      users: try zip(seed.users, photos).map { try insert($0, $1, on: connection) },
      microblogUsers: try insertMicroblog(on: connection),
      clock: seed.clock)
  }

  private func hash(of password: String?, or hash: String?) -> String {
    hash ?? password.flatMap { hashes[ExactText($0)] } ?? ""
  }

  private static func bytes(_ digest: String?) -> [UInt8]? { digest.flatMap { Hex.decode($0.utf8) } }

  private func insert(_ user: Seed.User, _ photos: [Photo], on connection: Connection) throws -> Seed.User {
    var row = user.row(passwordHash: hash(of: user.password, or: user.passwordHash), now: now)
    row.id = try connection.insert(row)
    let id = row.id
    let tokens = try user.tokens.map { token in
      let letters = token.digest == nil ? token.token ?? random.letters(Token.length) : nil
      let digest = letters.map { Token.digest(of: Array($0.utf8)) } ?? Self.bytes(token.digest) ?? []
      let row = token.row(digest, of: id, now: now, expiry: expiry)
      try connection.insert(row)
      return Seed.Token(row, letters: letters)
    }
    let photos = try photos.map { photo in
      var row = photo
      row.userID = id
      row.id = try connection.insert(row)
      return Seed.Photo(row)
    }
    let notes = try user.notes.map { note in
      var row = Note(
        userID: id, title: note.title ?? "", body: note.body ?? "", createdAt: note.createdAt?.milliseconds ?? now,
        updatedAt: note.updatedAt?.milliseconds)
      row.id = try connection.insert(row)
      return Seed.Note(row)
    }
    return Seed.User(row, password: user.password, tokens: tokens, photos: photos, notes: notes)
  }

  /// Inserts the posts of all users in the order of their times, which is the order in which clients get them.
  private func insertMicroblog(on connection: Connection) throws -> [Seed.MicroblogUser] {
    let rows = try seed.microblogUsers.map { user in
      var row = MicroblogUser(
        name: user.name,
        passwordHash: hash(of: user.password, or: user.passwordHash),
        createdAt: user.createdAt?.milliseconds ?? now)
      row.id = try connection.insert(row)
      return row
    }
    let posts = zip(rows, seed.microblogUsers).flatMap { row, user in
      user.blogposts.map { post in
        Blogpost(
          uuid: post.uuid ?? random.uuid(), userID: row.id, text: post.text,
          createdAt: post.createdAt?.milliseconds ?? now)
      }
    }.sorted { $0.createdAt < $1.createdAt }
    // The sort is stable.
    try connection.insert(posts)
    let stored = Dictionary(grouping: posts, by: \.userID)
    return try zip(rows, seed.microblogUsers).map { row, user in
      let sessions = try user.sessions.map { try insert($0, of: row.id, on: connection) }
      return Seed.MicroblogUser(
        row, password: user.password, sessions: sessions, blogposts: stored[row.id] ?? [])
    }
  }

  private func insert(_ session: Seed.Session, of id: Int64, on connection: Connection) throws -> Seed.Session {
    let cookie = session.digest == nil ? session.cookie ?? random.letters(MicroblogSession.cookieLength) : nil
    let digest = cookie.map { MicroblogSession.digest(of: Array($0.utf8)) } ?? Self.bytes(session.digest) ?? []
    let usedAt = session.usedAt?.milliseconds ?? now
    let row = MicroblogSession(
      digest: digest, userID: id, createdAt: session.createdAt?.milliseconds ?? min(usedAt, now), usedAt: usedAt)
    try connection.insert(row)
    return Seed.Session(row, cookie: cookie)
  }
}
