import Cryptography
import Platform
import SelfieAPI

/// The rows that an import inserts, and those that it refuses with the reasons. `Importer` carries out the plan.
package struct ImportPlan: Sendable {
  /// The numbers of users, tokens or photos of a dump, by what happens to them.
  package struct Counts: Sendable, Equatable {
    package internal(set) var taken = 0
    package internal(set) var refused = 0
    /// Tokens only.
    package internal(set) var expired = 0
  }

  /// A row that is not taken, or not all of it.
  package struct Refusal: Error, Equatable {
    /// The line in the dump.
    package let line: Int
    /// Such as `user 5`.
    package let subject: String
    package let reason: String
  }

  package private(set) var users = Counts()
  package private(set) var tokens = Counts()
  package private(set) var photos = Counts()
  /// The size of all photos that are taken.
  package private(set) var byteCount: Int64 = 0
  /// In the order of the dump's lines.
  package private(set) var refusals: [Refusal] = []

  // MARK: - What is written

  private(set) var newUsers: [User] = []
  private(set) var newTokens: [Token] = []
  /// Are inserted once their files are copied.
  private(set) var newPhotos: [Photo] = []

  // MARK: - While it is made

  private let importer: Importer
  private let report: Importer.Report
  /// How many rows were checked.
  private var seen = 0
  /// Whether each user of the dump is taken, by id.
  private var isTaken: [Int64: Bool] = [:]
  /// The lines of values that must be unique.
  private var addresses: [ExactText: Int] = [:]
  private var tokenDigests: Set<[UInt8]> = []
  private var randomIDs: [String: Int] = [:]

  /// Decides what to do with each row of a dump. Changes nothing.
  init(of importer: Importer, _ report: @escaping Importer.Report) throws {
    (self.importer, self.report) = (importer, report)
    for row in importer.dump.users { try attempt(\.users) { try $0.take(row) } }
    for row in importer.dump.photos {
      try attempt(\.photos) { plan in
        do {
          try plan.take(row.photo, row.line)
        } catch let error as FileError {
          throw row.photo.refusal(row.line, "\(error.path) cannot be read: \(error.reason)")
        }
      }
    }
    refusals.sort { $0.line < $1.line }
  }

  private mutating func attempt(
    _ counts: WritableKeyPath<ImportPlan, Counts>, _ take: (inout ImportPlan) throws -> Void
  ) throws {
    seen += 1
    report(Progress("Checking", seen, of: importer.dump.users.count + importer.dump.photos.count, "row"))
    do {
      try take(&self)
      self[keyPath: counts].taken += 1
    } catch let refusal as Refusal {
      self[keyPath: counts].refused += 1
      refusals.append(refusal)
    }
  }

  // MARK: - Users and their tokens

  private mutating func take(_ row: RailsUser) throws {
    isTaken[row.user.id] = false
    try row.check()
    if let line = addresses[ExactText(row.user.email)] {
      throw row.refusal("line \(line) has the same email address, and the Rails backend used that account")
    }
    addresses[ExactText(row.user.email)] = row.line
    isTaken[row.user.id] = true
    newUsers.append(row.user)
    takeToken(of: row)
  }

  private mutating func takeToken(of row: RailsUser) {
    guard let letters = row.token.map({ Array($0.utf8) }), !letters.isEmpty else { return }
    guard let expiry = row.tokenExpiry, expiry > importer.now else { return tokens.expired += 1 }
    let digest = Token.digest(of: letters)
    let isLong = letters.count > RequestLimits.maxTokenBytes
    guard !isLong, tokenDigests.insert(digest).inserted else {
      tokens.refused += 1
      let reason = isLong ? "it has more than \(RequestLimits.maxTokenBytes) bytes" : "another user has the same"
      return refusals.append(.init(line: row.line, subject: "the token of user \(row.user.id)", reason: reason))
    }
    newTokens.append(
      Token(
        digest: digest, userID: row.user.id, expiresAt: expiry, createdAt: min(row.user.updatedAt, importer.now)))
    tokens.taken += 1
  }

  // MARK: - Photos

  private mutating func take(_ photo: Photo, _ line: Int) throws {
    try photo.check(line)
    if let first = randomIDs[photo.randomID] { throw photo.refusal(line, "line \(first) has the same random_id") }
    randomIDs[photo.randomID] = line
    guard let isUserTaken = isTaken[photo.userID] else {
      throw photo.refusal(line, "its user \(photo.userID) is not in the dump")
    }
    guard isUserTaken else { throw photo.refusal(line, "its user \(photo.userID) is not imported") }
    let file = try PlainFile(ofPhoto: photo.randomID, in: importer.bucket)
    guard file.byteCount > 0 else { throw photo.refusal(line, "\(file.path) is empty") }
    var photo = photo
    photo.byteCount = file.byteCount
    guard photo.byteCount <= importer.maxPhotoBytes else {
      throw photo.refusal(
        line, "its file has \(photo.byteCount) bytes, more than MAX_PHOTO_BYTES (\(importer.maxPhotoBytes)) allows")
    }
    // Once rows are written, it is too late to leave out a photo that the disk cannot read.
    try FileSystem.forEachChunk(of: file.file, path: file.path) { _ in }
    newPhotos.append(photo)
    byteCount = byteCount.addingReportingOverflow(photo.byteCount).partialValue
  }
}

// MARK: - Rows that the server could not keep

private let idTooLarge = "its id is greater than \(RequestLimits.maxKeptID)"

extension RailsUser {
  fileprivate func refusal(_ reason: String) -> ImportPlan.Refusal {
    .init(line: line, subject: "user \(user.id)" + (user.email.isEmpty ? "" : " <\(user.email)>"), reason: reason)
  }

  fileprivate func check() throws(ImportPlan.Refusal) {
    guard user.id <= RequestLimits.maxKeptID else { throw refusal(idTooLarge) }
    guard !user.email.isEmpty else { throw refusal("it has no email address") }
    guard Validation.isEmail(user.email) else { throw refusal("its email address is invalid") }
    for (text, name) in [(user.email, "email address"), (user.firstName, "first_name"), (user.lastName, "last_name")] {
      if let problem = text.flatMap(Validation.problem(ofText:)) { throw refusal("its \(name) \(problem)") }
    }
    guard !user.passwordHash.isEmpty else { throw refusal("it has no password") }
    if let problem = PasswordHash.problem(of: user.passwordHash) { throw refusal("its password_hash \(problem)") }
    // The original hashed passwords with this salt, so no password would fit a hash with another one.
    guard user.passwordHash.utf8.starts(with: (passwordSalt ?? "").utf8) else {
      throw refusal("its password_salt does not match its password_hash")
    }
  }
}

extension Photo {
  fileprivate func refusal(_ line: Int, _ reason: String) -> ImportPlan.Refusal {
    .init(line: line, subject: "photo \(id)", reason: reason)
  }

  fileprivate func check(_ line: Int) throws(ImportPlan.Refusal) {
    guard id <= RequestLimits.maxKeptID else { throw refusal(line, idTooLarge) }
    guard Photo.isID(randomID.utf8) else {
      throw refusal(line, "its random_id does not have \(Photo.idLength) letters")
    }
    for (text, name) in [(name, "name"), (title, "title")] {
      if let problem = text.flatMap(Validation.problem(ofText:)) { throw refusal(line, "its \(name) \(problem)") }
    }
    guard userID != 0 else { throw refusal(line, "it has no user") }
  }
}
