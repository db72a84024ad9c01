import Cryptography
import Platform
import SelfieAPI

/// Decides what to do with each row of a dump. Changes nothing. `Importer` carries out the plan.
struct ImportPlanner {
  private let importer: Importer
  private var plan = ImportPlan()
  /// How many rows were checked.
  private var seen = 0
  /// Whether each user of the dump is taken, by id.
  private var isTaken: [Int64: Bool] = [:]
  /// The lines of values that must be unique.
  private var addresses: [ExactText: Int] = [:]
  private var tokenDigests: Set<[UInt8]> = []
  private var randomIDs: [String: Int] = [:]

  init(_ importer: Importer) {
    self.importer = importer
  }

  private var now: Int64 { importer.now }

  mutating func make(_ report: Importer.Report) throws -> ImportPlan {
    for user in importer.dump.users { try attempt(\.users, report) { try $0.take(user) } }
    for photo in importer.dump.photos {
      try attempt(\.photos, report) { planner in
        do {
          try planner.take(photo)
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
    _ take: (inout ImportPlanner) throws -> Void
  ) throws {
    seen += 1
    report(Progress("Checking", seen, of: importer.dump.users.count + importer.dump.photos.count, "row"))
    do {
      try take(&self)
      plan[keyPath: counts].taken += 1
    } catch let refusal as ImportPlan.Refusal {
      plan[keyPath: counts].refused += 1
      plan.refusals.append(refusal)
    }
  }

  // MARK: - Users and their tokens

  private mutating func take(_ user: RailsUser) throws {
    isTaken[user.id] = false
    let (email, passwordHash) = try user.checked()
    if let line = addresses[ExactText(email)] {
      throw user.refusal("line \(line) has the same email address, and the Rails backend used that account")
    }
    addresses[ExactText(email)] = user.line
    isTaken[user.id] = true
    plan.newUsers.append(
      User(
        id: user.id, email: email, firstName: user.firstName, lastName: user.lastName, passwordHash: passwordHash,
        createdAt: user.createdAt ?? user.updatedAt ?? now, updatedAt: user.updatedAt ?? user.createdAt ?? now))
    takeToken(of: user)
  }

  private mutating func takeToken(of user: RailsUser) {
    guard let letters = user.token.map({ Array($0.utf8) }), !letters.isEmpty else { return }
    guard let expiry = user.tokenExpiry, expiry > now else {
      plan.tokens.expired += 1
      return
    }
    let digest = Token.digest(of: letters)
    let isLong = letters.count > RequestLimits.maxTokenBytes
    guard !isLong, tokenDigests.insert(digest).inserted else {
      plan.tokens.refused += 1
      let reason = isLong ? "it has more than \(RequestLimits.maxTokenBytes) bytes" : "another user has the same"
      plan.refusals.append(.init(line: user.line, subject: "the token of user \(user.id)", reason: reason))
      return
    }
    plan.newTokens.append(
      Token(digest: digest, userID: user.id, expiresAt: expiry, createdAt: min(user.updatedAt ?? now, now)))
    plan.tokens.taken += 1
  }

  // MARK: - Photos

  private mutating func take(_ photo: RailsPhoto) throws {
    let (randomID, userID) = try photo.checked()
    if let line = randomIDs[randomID] { throw photo.refusal("line \(line) has the same random_id") }
    randomIDs[randomID] = photo.line
    guard let isUserTaken = isTaken[userID] else { throw photo.refusal("its user \(userID) is not in the dump") }
    guard isUserTaken else { throw photo.refusal("its user \(userID) is not imported") }
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
    plan.newPhotos.append(
      Photo(
        id: photo.id, randomID: randomID, userID: userID, name: photo.name, title: photo.title ?? "",
        byteCount: byteCount, contentType: "", createdAt: photo.createdAt ?? photo.updatedAt ?? now,
        updatedAt: photo.updatedAt ?? photo.createdAt ?? now))
    plan.byteCount = plan.byteCount.addingReportingOverflow(byteCount).partialValue
  }
}

// MARK: - Rows that the server could not keep

private let idTooLarge = "its id is greater than \(RequestLimits.maxKeptID)"

extension RailsUser {
  fileprivate func refusal(_ reason: String) -> ImportPlan.Refusal {
    .init(line: line, subject: "user \(id)" + (email.map { " <\($0)>" } ?? ""), reason: reason)
  }

  fileprivate func checked() throws(ImportPlan.Refusal) -> (email: String, passwordHash: String) {
    guard id <= RequestLimits.maxKeptID else { throw refusal(idTooLarge) }
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
    guard id <= RequestLimits.maxKeptID else { throw refusal(idTooLarge) }
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
