import Cryptography
import Platform
import SQL
import SelfieAPI

/// Compares a dump with the database, and decides what to do with each row. Changes nothing.
struct ImportPlanner {
  private let importer: Importer
  private var plan = ImportPlan()
  /// How many rows were compared.
  private var seen = 0
  /// The decisions on users, by their ids in the dump.
  private var accounts: [Int64: Account] = [:]
  /// The lines of values that must be unique.
  private var addresses: [ExactText: Int] = [:]
  private var tokenDigests: Set<[UInt8]> = []
  private var randomIDs: [String: Int] = [:]
  /// The users, by their ids in the dump, of whom a photo gets a new id. Their later photos get new ids as well,
  /// because photos are shown in the order of their ids.
  private var renumbered: Set<Int64> = []

  private enum Account {
    case new
    case existing(Int64)
    /// An account with the same address, which may be another person's.
    case foreign(Int64)
    case refused
  }

  init(_ importer: Importer) {
    self.importer = importer
  }

  private var database: ApplicationDatabase { importer.database }
  private var now: Int64 { importer.now }

  mutating func make(_ report: Importer.Report) async throws -> ImportPlan {
    for user in importer.dump.users { try await attempt(\.users, report) { try await $0.take(user) } }
    for photo in importer.dump.photos {
      try await attempt(\.photos, report) { planner in
        do {
          try await planner.take(photo)
        } catch let error as FileError {
          throw photo.refusal("\(error.path) cannot be read: \(error.reason)")
        }
      }
    }
    plan.refusals.sort { $0.line < $1.line }
    return plan
  }

  private mutating func attempt(
    _ counts: WritableKeyPath<ImportPlan, ImportPlan.Counts>, _ report: Importer.Report,
    _ take: (inout ImportPlanner) async throws -> Void
  ) async throws {
    seen += 1
    report(Progress("Comparing", seen, of: importer.dump.users.count + importer.dump.photos.count, "rows"))
    do {
      try await take(&self)
    } catch let refusal as ImportPlan.Refusal {
      plan[keyPath: counts].refused += 1
      plan.refusals.append(refusal)
    }
  }

  // MARK: - Users

  private mutating func take(_ user: RailsUser) async throws {
    accounts[user.id] = .refused
    let (email, passwordHash) = try user.checked()
    if let line = addresses[ExactText(email)] {
      throw user.refusal("line \(line) has the same email address, and the Rails backend used that account")
    }
    addresses[ExactText(email)] = user.line
    if let existing = try await database.first(UserStore.user(email: email), as: User.self) {
      guard existing.passwordHash == passwordHash else {
        accounts[user.id] = .foreign(existing.id)
        throw user.refusal("an account with this email address already exists here, with another password")
      }
      accounts[user.id] = .existing(existing.id)
      plan.existingUsers[user.id] = existing.id
      plan.users.alreadyThere += 1
      return try await takeToken(of: user, existing)
    }
    let isTaken = try await database.first(UserStore.user(id: user.id), as: User.self) != nil
    let keepsID = user.id <= RequestLimits.maxKeptID && !isTaken
    let new = User(
      id: keepsID ? user.id : 0, email: email, firstName: user.firstName, lastName: user.lastName,
      passwordHash: passwordHash, createdAt: user.createdAt ?? user.updatedAt ?? now,
      updatedAt: user.updatedAt ?? user.createdAt ?? now)
    accounts[user.id] = .new
    plan.newUsers.append((user.id, new))
    plan.users.taken += 1
    if !keepsID { plan.users.newIDs += 1 }
    try await takeToken(of: user, nil)
  }

  // MARK: - Tokens

  /// - Parameter existing: the user as the database has it. A token from before its last change which is not in the
  /// database was ended here, and stays ended.
  private mutating func takeToken(of user: RailsUser, _ existing: User?) async throws {
    guard let letters = user.token.map({ Array($0.utf8) }), !letters.isEmpty else { return }
    guard let expiry = user.tokenExpiry, expiry > now else {
      plan.tokens.expired += 1
      return
    }
    let digest = Token.digest(of: letters)
    let known = try await database.first(TokenStore.token(digest: digest), as: Token.self)
    if let existing, let known, known.userID == existing.id {
      if known.isRetired { plan.tokens.ended += 1 } else { plan.tokens.alreadyThere += 1 }
      return
    }
    let updatedAt = user.updatedAt ?? now
    if let existing, updatedAt <= existing.updatedAt {
      plan.tokens.ended += 1
      return
    }
    let isLong = letters.count > RequestLimits.maxTokenBytes
    guard !isLong, known == nil, tokenDigests.insert(digest).inserted else {
      plan.tokens.refused += 1
      let reason = isLong ? "it has more than \(RequestLimits.maxTokenBytes) bytes" : "another user has the same"
      plan.refusals.append(.init(line: user.line, subject: "the token of user \(user.id)", reason: reason))
      return
    }
    let token = Token(digest: digest, userID: 0, expiresAt: expiry, createdAt: min(updatedAt, now))
    plan.newTokens.append((user.id, token))
    plan.tokens.taken += 1
    if var existing {
      existing.updatedAt = updatedAt
      plan.updates.append(existing)
    }
  }

  // MARK: - Photos

  private mutating func take(_ photo: RailsPhoto) async throws {
    let (randomID, userID) = try photo.checked()
    if let line = randomIDs[randomID] { throw photo.refusal("line \(line) has the same random_id") }
    randomIDs[randomID] = photo.line
    if let existing = try await database.first(PhotoStore.photo(randomID: randomID), as: Photo.self) {
      return try compare(existing, with: photo, of: accounts[userID])
    }
    switch accounts[userID] {
    case .new, .existing: break
    case .foreign, .refused: throw photo.refusal("its user \(userID) is not imported")
    case nil: throw photo.refusal("its user \(userID) is not in the dump")
    }
    let file: PlainFile
    do {
      file = try PlainFile(ofPhoto: randomID, in: importer.bucket)
    } catch {
      throw photo.refusal(error.reason)
    }
    let byteCount = file.byteCount
    guard byteCount <= importer.maxPhotoBytes else {
      throw photo.refusal(
        "its file has \(byteCount) bytes, more than MAX_PHOTO_BYTES (\(importer.maxPhotoBytes)) allows")
    }
    // Once rows are written, it is too late to leave out a photo that the disk cannot read.
    try FileSystem.forEachChunk(of: file.file, path: file.path) { _ in }
    let isTaken = try await database.first(PhotoStore.photo(id: photo.id), as: Int64.self) != nil
    let keepsID = !renumbered.contains(userID) && photo.id <= RequestLimits.maxKeptID && !isTaken
    if !keepsID {
      renumbered.insert(userID)
      plan.photos.newIDs += 1
    }
    let new = Photo(
      id: keepsID ? photo.id : 0, randomID: randomID, userID: 0, name: photo.name, title: photo.title ?? "",
      byteCount: byteCount, contentType: "", createdAt: photo.createdAt ?? photo.updatedAt ?? now,
      updatedAt: photo.updatedAt ?? photo.createdAt ?? now)
    plan.newPhotos.append((userID, new))
    plan.photos.taken += 1
    plan.byteCount = plan.byteCount.addingReportingOverflow(byteCount).partialValue
  }

  private mutating func compare(_ existing: Photo, with photo: RailsPhoto, of account: Account?) throws {
    switch account {
    case .existing(existing.userID), .foreign(existing.userID): break
    default: throw photo.refusal("it already exists here, and belongs to another user")
    }
    // The copy of the bucket may be gone after the first import.
    if let file = try? PlainFile(ofPhoto: existing.randomID, in: importer.bucket) {
      let digest = try existing.sha256 ?? importer.files?.digest(of: existing.randomID)
      guard try file.byteCount == existing.byteCount && SHA256.digest(of: file.file, path: file.path) == digest else {
        throw photo.refusal("it already exists here, with other bytes")
      }
    }
    plan.photos.alreadyThere += 1
  }
}

// MARK: - Rows that the server could not keep

extension RailsUser {
  fileprivate func refusal(_ reason: String) -> ImportPlan.Refusal {
    .init(line: line, subject: "user \(id)" + (email.map { " <\($0)>" } ?? ""), reason: reason)
  }

  fileprivate func checked() throws(ImportPlan.Refusal) -> (email: String, passwordHash: String) {
    guard let email, !email.isEmpty else { throw refusal("it has no email address") }
    guard Validation.isEmail(email) else { throw refusal("its email address is invalid") }
    for (text, name) in [(email, "email address"), (firstName, "first_name"), (lastName, "last_name")] {
      if let problem = text.flatMap(Validation.problem(ofText:)) { throw refusal("its \(name) \(problem)") }
    }
    guard let passwordHash, !passwordHash.isEmpty else { throw refusal("it has no password") }
    guard PasswordHash.isHash(passwordHash) else { throw refusal("its password_hash is not a bcrypt hash") }
    // The original hashed passwords with this salt, so no password would fit a hash with another one.
    if let passwordSalt, !passwordSalt.isEmpty, !passwordHash.utf8.starts(with: passwordSalt.utf8) {
      throw refusal("its password_salt does not match its password_hash")
    }
    return (email, passwordHash)
  }
}

extension RailsPhoto {
  fileprivate func refusal(_ reason: String) -> ImportPlan.Refusal {
    .init(line: line, subject: "photo \(id)", reason: reason)
  }

  fileprivate func checked() throws(ImportPlan.Refusal) -> (randomID: String, userID: Int64) {
    guard let randomID, Photo.isID(randomID.utf8) else {
      throw refusal("its random_id does not have \(Photo.idLength) letters")
    }
    for (text, name) in [(name, "name"), (title, "title")] {
      if let problem = text.flatMap(Validation.problem(ofText:)) { throw refusal("its \(name) \(problem)") }
    }
    guard let userID else { throw refusal("it has no user") }
    return (randomID, userID)
  }
}
