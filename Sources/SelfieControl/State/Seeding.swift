import Cryptography
import Platform
import SQLite
import SelfieAPI

extension StoredState {
  /// Adds users with their tokens and photos to what is there: all of them, or none.
  ///
  /// Users of one seed who have the same password have the same hash, so that many of them cost no more than one.
  ///
  /// - Throws: `StateError` that says what is wrong, or what is there already.
  public func seed(_ seed: Seed) async throws -> Seeded {
    let now = application.clock()
    let check = SeedCheck(seed, maximumPhotoBytes: application.settings.maximumPhotoBytes, now: now)
    try await application.apart { try check.check() }
    let hashes = try await hashes(of: Set(seed.users.map(\.password)))
    let photos = photos
    let images = seed.users.map { $0.photos.map(\.bytes) }
    let contents = try await photos.lane.run { try self.contents.hold(images) }
    let seeded: Result<Seeded, any Error>
    do {
      let users = try await application.apart { plan(seed, hashes: hashes, contents: contents, now: now) }
      let added = try await add(users, now: now)
      seeded = .success(added)
    } catch {
      seeded = .failure(error)
    }
    try? await photos.lane.run { self.contents.release(contents.joined().map(\.sha256)) }
    return try seeded.get()
  }

  /// Hashes that are under way at once; more would only fill the lane's line, in which sign-ins wait too.
  private static let hashesAtOnce = 8

  private func hashes(of passwords: Set<String>) async throws -> [String: String] {
    let hasher = application.passwords
    var rest = passwords
    var hashes: [String: String] = [:]
    try await withThrowingTaskGroup(of: (String, String).self) { group in
      func addNext() {
        guard let password = rest.popFirst() else { return }
        group.addTask { (password, try await hasher.hash(Array(password.utf8))) }
      }
      for _ in 0..<Self.hashesAtOnce { addNext() }
      while let (password, hash) = try await group.next() {
        hashes[password] = hash
        addNext()
      }
    }
    return hashes
  }

  // MARK: - What is written

  /// A user of a seed, with all that a test did not choose.
  private struct NewUser: Sendable {
    let user: StateDocument.User
    let password: String
    let tokens: [Seeded.Token]
    let photos: [(photo: StateDocument.Photo, content: PhotoContent)]
  }

  private func plan(_ seed: Seed, hashes: [String: String], contents: [[PhotoContent]], now: Int64) -> [NewUser] {
    zip(seed.users, contents).map { user, contents in
      NewUser(
        // The row gets a new id.
        user: StateDocument.User(
          id: 0, email: user.email, firstName: user.firstName, lastName: user.lastName,
          passwordHash: hashes[user.password] ?? "", createdAt: user.createdAt ?? now),
        password: user.password,
        tokens: user.tokens.map { token in
          Seeded.Token(
            letters: token.letters ?? application.random.letters(Token.length),
            expiresAt: expiry(token.expiry, now: now))
        },
        photos: zip(user.photos, contents).map { photo, content in
          (
            StateDocument.Photo(
              randomID: photo.randomID ?? application.random.letters(Photo.idLength), userID: 0, name: photo.name,
              title: photo.title, createdAt: photo.createdAt ?? now, content: .kept(sha256: content.sha256)),
            content
          )
        })
    }
  }

  private func expiry(_ expiry: Seed.Expiry, now: Int64) -> Int64 {
    switch expiry {
    case .lifetime: application.tokenExpiry(now: now)
    case .at(let instant): instant
    case .after(let milliseconds): now &+ milliseconds
    }
  }

  private func add(_ users: [NewUser], now: Int64) async throws -> Seeded {
    let (database, photos) = (database, photos)
    let placings = users.flatMap(\.photos).map {
      PhotoLibrary.Placing(id: $0.photo.randomID, sha256: $0.content.sha256)
    }
    return try await photos.gate.alone(replaces: false) {
      try await photos.place(placings, from: contents) {
        try await database.write { connection in
          try Self.refuseTaken(users, on: connection)
          return Seeded(users: try users.map { try Self.insert($0, now: now, on: connection) })
        }
      }
    }
  }

  private static func refuseTaken(_ users: [NewUser], on connection: Connection) throws {
    var problems: [String] = []
    for user in users {
      let email = user.user.email
      if try UserStore.id(email: email, on: connection) != nil {
        problems.append("There is a user with the email \(email) already.")
      }
      for token in user.tokens
      where try TokenStore.userID(digest: Token.digest(of: Array(token.letters.utf8)), on: connection) != nil {
        problems.append("The token \(token.letters) of \(email) is there already.")
      }
      for (photo, _) in user.photos
      where try PhotoStore.existing(randomID: photo.randomID, on: connection) != nil {
        problems.append("The photo \(photo.randomID) of \(email) is there already.")
      }
    }
    guard problems.isEmpty else { throw StateError(.conflict, problems) }
  }

  private static func insert(_ user: NewUser, now: Int64, on connection: Connection) throws -> Seeded.User {
    let id = try UserStore.insert(id: nil, user.user, now: now, on: connection)
    var seeded = Seeded.User(
      id: id, email: user.user.email, firstName: user.user.firstName, lastName: user.user.lastName,
      password: user.password, tokens: user.tokens, photos: [])
    for token in user.tokens {
      try TokenStore.insert(
        Token(
          digest: Token.digest(of: Array(token.letters.utf8)), userID: id, expiresAt: token.expiresAt, createdAt: now),
        on: connection)
    }
    for (photo, content) in user.photos {
      let photoID = try PhotoStore.insert(photo, of: id, content: content, now: now, on: connection)
      seeded.photos.append(
        Seeded.Photo(
          id: photoID, randomID: photo.randomID, name: photo.name, title: photo.title,
          contentType: content.type.name, byteCount: Int(content.byteCount), createdAt: photo.createdAt ?? now))
    }
    return seeded
  }
}

extension PhotoContents {
  /// Holds all of these, or none.
  fileprivate func hold(_ images: [[[UInt8]]]) throws(FileError) -> [[PhotoContent]] {
    var held: [[PhotoContent]] = []
    do throws(FileError) {
      for images in images {
        held.append([])
        for bytes in images { held[held.count - 1].append(try hold(bytes)) }
      }
      return held
    } catch {
      release(held.joined().map(\.sha256))
      throw error
    }
  }
}
