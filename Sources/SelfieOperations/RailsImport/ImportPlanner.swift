import Cryptography
import Platform
import SQL
import SelfieAPI

/// Compares a dump with the database, and decides what to do with each row. Changes nothing.
package struct ImportPlanner {
  let dump: RailsDump
  let bucket: BucketFolder
  /// Where the users and photos are that are there already.
  let database: ApplicationDatabase
  /// The files of these photos; nil where their bytes are objects.
  let files: PhotoFiles?
  let maxPhotoBytes: Int
  /// In Unix milliseconds.
  let now: Int64

  private var plan = ImportPlan()
  /// The decisions on users, by their ids in the dump.
  private var accounts: [Int64: Account] = [:]
  /// The lines of values that must be unique.
  private var addresses: [ExactText: Int] = [:]
  private var tokenDigests: [[UInt8]: Int] = [:]
  private var randomIDs: [String: Int] = [:]
  /// The users, by their ids in the dump, of whom a photo gets a new id. Their later photos get new ids as well,
  /// because photos are shown in the order of their ids.
  private var renumbered: Set<Int64> = []

  private enum Account {
    case new
    case existing(Int64)
    /// An account with the same address, which may be somebody else's.
    case foreign(Int64)
    case refused
  }

  /// Why a row is not taken.
  private struct NotTaken: Error {
    let reason: String
    var account = Account.refused

    init(_ reason: String) {
      self.reason = reason
    }
  }

  init(
    dump: RailsDump, bucket: BucketFolder, database: ApplicationDatabase, files: PhotoFiles?, maxPhotoBytes: Int,
    now: Int64
  ) {
    self.dump = dump
    self.bucket = bucket
    self.database = database
    self.files = files
    self.maxPhotoBytes = maxPhotoBytes
    self.now = now
  }

  mutating func make() async throws -> ImportPlan {
    for user in dump.users {
      do {
        accounts[user.id] = try await account(of: user)
      } catch let notTaken as NotTaken {
        accounts[user.id] = notTaken.account
        plan.users.refused += 1
        refuse(user.line, "user \(user.id)" + (user.email.map { " <\($0)>" } ?? ""), notTaken.reason)
      }
    }
    for photo in dump.photos {
      do {
        try await take(photo)
      } catch let notTaken as NotTaken {
        plan.photos.refused += 1
        refuse(photo.line, "photo \(photo.id)", notTaken.reason)
      }
    }
    plan.refusals.sort { $0.line < $1.line }
    return plan
  }

  private mutating func refuse(_ line: Int, _ subject: String, _ reason: String) {
    plan.refusals.append(ImportPlan.Refusal(line: line, subject: subject, reason: reason))
  }

  // MARK: - Users

  private mutating func account(of user: RailsUser) async throws -> Account {
    let (email, passwordHash) = try Self.checked(user)
    if let line = addresses[ExactText(email)] {
      throw NotTaken("line \(line) has the same address, and that account is the one that the original signed in")
    }
    addresses[ExactText(email)] = user.line
    if let existing = try await database.first(UserStore.user(email: email), as: User.self) {
      guard existing.passwordHash == passwordHash else {
        var notTaken = NotTaken("an account of this address is already there, with another password")
        notTaken.account = .foreign(existing.id)
        throw notTaken
      }
      plan.users.alreadyThere += 1
      try await takeToken(of: user, owner: .existing(existing.id), knownSince: existing.updatedAt)
      return .existing(existing.id)
    }
    let isTaken = try await database.first(UserStore.user(id: user.id), as: User.self) != nil
    let keepsID = user.id <= RequestLimits.maxKeptID && !isTaken
    let new = User(
      id: keepsID ? user.id : 0, email: email, firstName: user.firstName, lastName: user.lastName,
      passwordHash: passwordHash, createdAt: user.createdAt ?? user.updatedAt ?? now,
      updatedAt: user.updatedAt ?? user.createdAt ?? now)
    plan.newUsers.append((user.id, new))
    plan.users.taken += 1
    if !keepsID { plan.users.newIDs += 1 }
    try await takeToken(of: user, owner: .new(user.id), knownSince: nil)
    return .new
  }

  private static func checked(_ user: RailsUser) throws -> (email: String, passwordHash: String) {
    guard let email = user.email, !email.isEmpty else { throw NotTaken("it has no email address") }
    guard Validation.isEmail(email) else { throw NotTaken("its email address is not one") }
    try checkText(email, "its email address")
    try checkText(user.firstName, "its first_name")
    try checkText(user.lastName, "its last_name")
    guard let hash = user.passwordHash, !hash.isEmpty else { throw NotTaken("it has no password") }
    guard PasswordHash.isHash(hash) else { throw NotTaken("its password_hash is none of bcrypt") }
    // The original hashed passwords with this salt, so nobody could sign in if the hash had another one.
    if let salt = user.passwordSalt, !salt.isEmpty, !hash.utf8.starts(with: salt.utf8) {
      throw NotTaken("its password_salt is not that of its password_hash")
    }
    return (email, hash)
  }

  private static func checkText(_ text: String?, _ name: String) throws {
    if let text, let problem = Validation.problem(ofText: text) { throw NotTaken("\(name) \(problem)") }
  }

  // MARK: - Tokens

  /// - Parameter knownSince: when an existing user last changed. A token from before that which is not in the database
  /// was ended here, and stays ended.
  private mutating func takeToken(
    of user: RailsUser, owner: ImportPlan.Owner, knownSince: Int64?
  ) async throws {
    guard let letters = user.token.map({ Array($0.utf8) }), !letters.isEmpty else { return }
    guard let expiry = user.tokenExpiry, expiry > now else {
      plan.tokens.expired += 1
      return
    }
    let digest = Token.digest(of: letters)
    let holder = try await database.first(TokenStore.token(digest: digest), as: Token.self)?.userID
    if case .existing(let id) = owner, holder == id {
      plan.tokens.alreadyThere += 1
      return
    }
    let updatedAt = user.updatedAt ?? now
    if let knownSince, updatedAt <= knownSince {
      plan.tokens.ended += 1
      return
    }
    guard letters.count <= RequestLimits.maxTokenBytes, holder == nil, tokenDigests[digest] == nil else {
      plan.tokens.refused += 1
      let isLong = letters.count > RequestLimits.maxTokenBytes
      refuse(
        user.line, "the token of user \(user.id)",
        isLong ? "it has more than \(RequestLimits.maxTokenBytes) bytes" : "another user has the same")
      return
    }
    tokenDigests[digest] = user.line
    plan.newTokens.append(
      (owner, Token(digest: digest, userID: 0, expiresAt: expiry, createdAt: min(updatedAt, now))))
    plan.tokens.taken += 1
    if case .existing(let id) = owner { plan.updates.append((id, updatedAt)) }
  }

  // MARK: - Photos

  private mutating func take(_ photo: RailsPhoto) async throws {
    guard let randomID = photo.randomID, Photo.isID(randomID.utf8) else {
      throw NotTaken("its random_id is not of \(Photo.idLength) letters")
    }
    if let line = randomIDs[randomID] { throw NotTaken("line \(line) has the same random_id") }
    randomIDs[randomID] = photo.line
    try Self.checkText(photo.name, "its name")
    try Self.checkText(photo.title, "its title")
    guard let railsUserID = photo.userID else { throw NotTaken("it belongs to nobody") }
    guard let account = accounts[railsUserID] else { throw NotTaken("its user \(railsUserID) is not in the dump") }
    if let existing = try await database.first(PhotoStore.photo(randomID: randomID), as: Photo.self) {
      return try compare(existing, of: account)
    }
    let owner: ImportPlan.Owner
    switch account {
    case .new: owner = .new(railsUserID)
    case .existing(let id): owner = .existing(id)
    case .foreign, .refused: throw NotTaken("its user \(railsUserID) is not taken")
    }
    let byteCount = try file(randomID).byteCount
    guard byteCount <= maxPhotoBytes else {
      throw NotTaken("its file has \(byteCount) bytes, more than MAX_PHOTO_BYTES (\(maxPhotoBytes)) allows")
    }
    let isTaken = try await database.first(PhotoStore.photo(id: photo.id), as: NumberRow.self) != nil
    let keepsID = !renumbered.contains(railsUserID) && photo.id <= RequestLimits.maxKeptID && !isTaken
    if !keepsID {
      renumbered.insert(railsUserID)
      plan.photos.newIDs += 1
    }
    let new = Photo(
      id: keepsID ? photo.id : 0, randomID: randomID, userID: 0, name: photo.name, title: photo.title ?? "",
      byteCount: byteCount, contentType: "", createdAt: photo.createdAt ?? photo.updatedAt ?? now,
      updatedAt: photo.updatedAt ?? photo.createdAt ?? now)
    plan.newPhotos.append((owner, new))
    plan.photos.taken += 1
    plan.byteCount = plan.byteCount.addingReportingOverflow(byteCount).partialValue
  }

  private func file(_ randomID: String) throws -> PlainFile {
    do {
      return try bucket.find(randomID)
    } catch {
      throw NotTaken(error.reason)
    }
  }

  private mutating func compare(_ existing: Photo, of account: Account) throws {
    switch account {
    case .existing(existing.userID), .foreign(existing.userID): break
    default: throw NotTaken("it is already there, and belongs to another user")
    }
    // The copy of the bucket may be gone after the first import.
    if let file = try? bucket.find(existing.randomID) {
      guard try hasSameBytes(file, existing) else { throw NotTaken("it is already there, with other bytes") }
    }
    plan.photos.alreadyThere += 1
  }

  private func hasSameBytes(_ file: PlainFile, _ existing: Photo) throws -> Bool {
    guard file.byteCount == existing.byteCount else { return false }
    let digest = try existing.sha256 ?? files?.digest(of: existing.randomID)
    return try SHA256.digest(of: file.file, path: file.path) == digest
  }
}
