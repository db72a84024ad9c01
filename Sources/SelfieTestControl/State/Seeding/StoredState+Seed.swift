import Cryptography
import Platform
import SQLite
import SelfieAPI

extension StoredState {
  /// Adds users with what they have, either all or none.
  ///
  /// Users of one seed with the same password share a hash, so that many of them take no longer than one.
  ///
  /// - Throws: `StateError` with what is invalid or exists already.
  public func seed(_ seed: Seed) async throws -> Seeded {
    let now = application.clock()
    let check = SeedValidator(seed, maxPhotoBytes: application.settings.maxPhotoBytes, now: now)
    try await application.onWorker { try check.check() }
    let passwords = (seed.users.map(\.password) + seed.microblogUsers.map(\.password)).map(ExactText.init)
    let hashes = try await hashes(of: Set(passwords))
    let images = seed.users.map { $0.photos.map(\.bytes) }
    return try await withBlobs {
      try blobs.retain(images)
    } do: { blobs in
      let (users, microblogUsers) = try await application.onWorker {
        (plan(seed, hashes: hashes, blobs: blobs, now: now), plan(seed.microblogUsers, hashes: hashes, now: now))
      }
      return try await add(users, microblogUsers, blobs)
    }
  }

  /// More would only fill the pool's queue, in which sign-ins wait too.
  private static let maxConcurrentHashes = 8

  private func hashes(of passwords: Set<ExactText>) async throws -> [ExactText: String] {
    let hasher = application.passwords
    var rest = passwords
    var hashes: [ExactText: String] = [:]
    try await withThrowingTaskGroup(of: (ExactText, String).self) { group in
      func addNext() {
        guard let password = rest.popFirst() else { return }
        group.addTask { (password, try await hasher.hash(Array(password.description.utf8))) }
      }
      for _ in 0..<Self.maxConcurrentHashes { addNext() }
      while let (password, hash) = try await group.next() {
        hashes[password] = hash
        addNext()
      }
    }
    return hashes
  }

  // MARK: - Rows

  /// A seed's user with every omitted field filled in. What belongs to the user gets the user's id with its row.
  private struct NewUser: Sendable {
    let user: User
    let password: String
    let tokens: [(letters: String, token: Token)]
    let photos: [Photo]
    let notes: [Note]
  }

  private func plan(_ seed: Seed, hashes: [ExactText: String], blobs: [[Blob]], now: Int64) -> [NewUser] {
    zip(seed.users, blobs).map { user, blobs in
      NewUser(
        user: User(
          email: user.email, firstName: user.firstName, lastName: user.lastName,
          passwordHash: hashes[ExactText(user.password)] ?? "", createdAt: user.createdAt ?? now),
        password: user.password,
        tokens: user.tokens.map { token in
          let letters = token.letters ?? application.random.letters(Token.length)
          let digest = Token.digest(of: Array(letters.utf8))
          return (
            letters, Token(digest: digest, userID: 0, expiresAt: expiry(token.expiry, now: now), createdAt: now)
          )
        },
        photos: zip(user.photos, blobs).map { photo, content in
          Photo(
            randomID: photo.randomID ?? application.random.letters(Photo.idLength), userID: 0, name: photo.name,
            title: photo.title, byteCount: content.byteCount, contentType: content.type.name,
            createdAt: photo.createdAt ?? now, sha256: content.sha256)
        },
        notes: user.notes.map { note in
          Note(
            userID: 0, title: note.title, body: note.body, createdAt: note.createdAt ?? now, updatedAt: note.updatedAt)
        })
    }
  }

  private func expiry(_ expiry: Seed.Expiry, now: Int64) -> Int64 {
    switch expiry {
    case .lifetime: application.tokenLifetime.expiry(from: now)
    case .at(let instant): instant
    case .after(let milliseconds): now &+ milliseconds
    }
  }

  private func add(
    _ users: [NewUser], _ microblogUsers: [NewMicroblogUser], _ blobs: [[Blob]]
  ) async throws -> Seeded {
    let (database, photos) = (database, photos)
    let placings = zip(users.flatMap(\.photos), blobs.joined()).map { ($0.randomID, $1.sha256) }
    return try await photos.lock.withExclusive {
      try await photos.place(placings, from: self.blobs) {
        try await database.write { connection in
          let problems = try Self.taken(users, on: connection) + Self.taken(microblogUsers, on: connection)
          guard problems.isEmpty else { throw StateError(.conflict, problems) }
          return Seeded(
            users: try users.map { try Self.insert($0, on: connection) },
            microblogUsers: try Self.insert(microblogUsers, on: connection))
        }
      }
    }
  }

  /// A sentence for everything of which there is one already.
  private static func taken(_ users: [NewUser], on connection: Connection) throws -> [String] {
    var problems: [String] = []
    for user in users {
      let email = user.user.email
      if try UserStore.find(email: email, on: connection) != nil {
        problems.append("There is a user with the email \(email) already.")
      }
      for (letters, token) in user.tokens where try connection.exists(TokenStore.token(digest: token.digest)) {
        problems.append("The token \(letters) of \(email) is there already.")
      }
      for photo in user.photos where try PhotoStore.exists(randomID: photo.randomID, on: connection) {
        problems.append("The photo \(photo.randomID) of \(email) is there already.")
      }
    }
    return problems
  }

  private static func insert(_ new: NewUser, on connection: Connection) throws -> Seeded.User {
    let id = try connection.insert(new.user)
    for (_, var token) in new.tokens {
      token.userID = id
      try connection.insert(token)
    }
    return Seeded.User(
      id: id, email: new.user.email, firstName: new.user.firstName, lastName: new.user.lastName,
      password: new.password,
      tokens: new.tokens.map { Seeded.Token(letters: $0, expiresAt: $1.expiresAt) },
      photos: try new.photos.map { photo in
        var photo = photo
        photo.userID = id
        return Seeded.Photo(
          id: try connection.insert(photo), randomID: photo.randomID, name: photo.name,
          title: photo.title, contentType: photo.contentType, byteCount: Int(photo.byteCount),
          createdAt: photo.createdAt)
      },
      notes: try new.notes.map { note in
        var note = note
        note.userID = id
        note.id = try connection.insert(note)
        return note
      })
  }
}

extension BlobStore {
  /// Retains all images, or none.
  fileprivate func retain(_ images: [[[UInt8]]]) throws(FileError) -> [[Blob]] {
    var retained: [[Blob]] = []
    do throws(FileError) {
      for images in images {
        retained.append([])
        for bytes in images { retained[retained.count - 1].append(try retain(bytes)) }
      }
      return retained
    } catch {
      release(retained.joined().map(\.sha256))
      throw error
    }
  }
}
