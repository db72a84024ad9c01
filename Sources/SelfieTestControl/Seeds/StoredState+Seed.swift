import Cryptography
import Platform
import SQL
import SQLite
import SelfieAPI

extension StoredState {
  /// Adds users with what they have, either all or none.
  ///
  /// Users of one seed with the same password share a hash, so that many of them take no longer than one.
  ///
  /// - Throws: `ControlError` with what is invalid or exists already.
  public func seed(_ seed: Seed) async throws -> Seeded {
    let (now, maxPhotoBytes) = (application.clock(), application.settings.maxPhotoBytes)
    try await application.lists.run { try seed.check(maxPhotoBytes: maxPhotoBytes, now: now) }
    let passwords = (seed.users.map(\.password) + seed.microblogUsers.map(\.password)).map(ExactText.init)
    var hashes: [ExactText: String] = [:]
    for password in Set(passwords) {
      hashes[password] = try await application.passwords.hash(Array(password.description.utf8))
    }
    let (application, database, photos, made) = (application, database, photos, hashes)
    let placings = try await photos.pool.run {
      try seed.users.map { user in
        try user.photos.map { photo in
          (id: photo.randomID ?? application.random.letters(Photo.idLength), blob: try blobs.blob(of: photo.bytes))
        }
      }
    }
    return try await photos.lock.withExclusive {
      try await photos.place(placings.flatMap(\.self)) {
        try await database.write { connection in
          try Seeding(connection: connection, application: application, hashes: made, now: now)
            .insert(seed, placings)
        }
      }
    }
  }
}

/// Inserts a seed in a transaction. What the seed omits is made up.
private struct Seeding {
  let connection: Connection
  let application: Application
  /// Of all passwords.
  let hashes: [ExactText: String]
  /// Unix milliseconds.
  let now: Int64

  /// - Parameter photos: of each user.
  /// - Throws: `ControlError` with everything that exists already.
  func insert(_ seed: Seed, _ photos: [[PhotoLibrary.Placing]]) throws -> Seeded {
    let taken = try taken(seed)
    guard taken.isEmpty else { throw ControlError(.conflict, taken) }
    return Seeded(users: try zip(seed.users, photos).map(insert), microblogUsers: try insert(seed.microblogUsers))
  }

  /// A sentence for everything that exists already. What the server makes up does not.
  private func taken(_ seed: Seed) throws -> [String] {
    var sentences: [String] = []
    func check(_ query: Query, _ sentence: @autoclosure () -> String) throws {
      if try connection.exists(query) { sentences.append(sentence()) }
    }
    for user in seed.users {
      try check(UserStore.user(email: user.email), "There is already a user with the email address \(user.email).")
      for letters in user.tokens.compactMap(\.letters) {
        let digest = Token.digest(of: Array(letters.utf8))
        try check(TokenStore.token(digest: digest), "The token \(letters) of \(user.email) already exists.")
      }
      for id in user.photos.compactMap(\.randomID) {
        try check(PhotoStore.photo(randomID: id), "The photo \(id) of \(user.email) already exists.")
      }
    }
    for user in seed.microblogUsers {
      let name = user.name
      try check(MicroblogUserStore.user(name: name), "There is already a Microblog user with the name \(name).")
      for cookie in user.sessions.compactMap(\.cookie) {
        let digest = Self.digest(ofCookie: cookie)
        try check(MicroblogSessionStore.session(digest: digest), "The session \(cookie) of \(name) already exists.")
      }
      for uuid in user.blogposts.compactMap(\.uuid) {
        try check(BlogpostStore.rowID(of: uuid), "The post \(uuid) of \(name) already exists.")
      }
    }
    return sentences
  }

  private func insert(_ user: Seed.User, _ photos: [PhotoLibrary.Placing]) throws -> Seeded.User {
    let id = try connection.insert(
      User(
        email: user.email, firstName: user.firstName, lastName: user.lastName,
        passwordHash: hashes[ExactText(user.password)] ?? "", createdAt: user.createdAt ?? now))
    let tokens = try user.tokens.map { token in
      let letters = token.letters ?? application.random.letters(Token.length)
      let digest = Token.digest(of: Array(letters.utf8))
      let expiresAt = token.expiry.instant(from: now) ?? application.tokenExpiry(from: now)
      try connection.insert(Token(digest: digest, userID: id, expiresAt: expiresAt, createdAt: now))
      return Seeded.Token(letters: letters, expiresAt: expiresAt)
    }
    let photos = try zip(user.photos, photos).map { photo, made in
      var row = Photo(
        randomID: made.id, userID: id, name: photo.name, title: photo.title, byteCount: made.blob.byteCount,
        contentType: made.blob.type.name, createdAt: photo.createdAt ?? now, sha256: made.blob.sha256)
      row.id = try connection.insert(row)
      return row
    }
    let notes = try user.notes.map { note in
      var row = Note(
        userID: id, title: note.title, body: note.body, createdAt: note.createdAt ?? now, updatedAt: note.updatedAt)
      row.id = try connection.insert(row)
      return row
    }
    return Seeded.User(
      id: id, email: user.email, firstName: user.firstName, lastName: user.lastName, password: user.password,
      tokens: tokens, photos: photos, notes: notes)
  }

  /// Inserts the posts of all users in the order of their times, which is the order in which clients get them.
  private func insert(_ users: [Seed.MicroblogUser]) throws -> [Seeded.MicroblogUser] {
    let ids = try users.map { user in
      try connection.insert(
        MicroblogUser(
          name: user.name, passwordHash: hashes[ExactText(user.password)] ?? "", createdAt: user.createdAt ?? now))
    }
    let posts = zip(ids, users).flatMap { id, user in
      user.blogposts.map { post in
        Blogpost(
          uuid: post.uuid ?? application.random.uuid(), userID: id, text: post.text, createdAt: post.createdAt ?? now)
      }
    }
    var stored: [Int64: [Blogpost]] = [:]
    // The sort is stable.
    for var post in posts.sorted(by: { $0.createdAt < $1.createdAt }) {
      post.id = try connection.insert(post)
      stored[post.userID, default: []].append(post)
    }
    return try zip(ids, users).map { id, user in
      Seeded.MicroblogUser(
        id: id, name: user.name, password: user.password, sessions: try user.sessions.map { try insert($0, of: id) },
        blogposts: stored[id] ?? [])
    }
  }

  /// - Returns: the session's cookie.
  private func insert(_ session: Seed.Session, of id: Int64) throws -> String {
    let cookie = session.cookie ?? application.random.letters(MicroblogSession.cookieLength)
    let usedAt = session.usedAt ?? now
    try connection.insert(
      MicroblogSession(digest: Self.digest(ofCookie: cookie), userID: id, createdAt: min(usedAt, now), usedAt: usedAt))
    return cookie
  }

  private static func digest(ofCookie cookie: String) -> [UInt8] { MicroblogSession.digest(of: Array(cookie.utf8)) }
}
