import Cryptography
import Platform
import SelfieAPI
import SelfieTestDocuments

// The records of a seed as rows, and rows as records of a seed. Secrets that are not kept are handed in. `StoredRows` has
// all rows, and StoredState+Seed.swift stores those of a seed.

extension Seed.User {
  init(_ row: SelfieAPI.User, password: String? = nil, tokens: [Seed.Token], photos: [Seed.Photo], notes: [Seed.Note]) {
    self.init(
      email: row.email, password: password, firstName: row.firstName, lastName: row.lastName, tokens: tokens,
      photos: photos, notes: notes, createdAt: TestInstant(milliseconds: row.createdAt))
    id = row.id
    if password == nil { passwordHash = row.passwordHash }
    // Without a name, a user would be the test user.
    if row.firstName == nil && row.lastName == nil { fullName = "" }
    updatedAt = TestInstant(milliseconds: row.updatedAt)
    disabledAt = row.disabledAt.map(TestInstant.init(milliseconds:))
  }

  func row(passwordHash: String, now: Int64) -> SelfieAPI.User {
    SelfieAPI.User(
      email: email, firstName: names.first, lastName: names.last, passwordHash: passwordHash,
      createdAt: createdAt?.milliseconds ?? now, updatedAt: updatedAt?.milliseconds,
      disabledAt: disabledAt?.milliseconds)
  }
}

extension Seed.Token {
  init(_ row: SelfieAPI.Token, letters: String? = nil) {
    self.init(letters, expiresAt: TestInstant(milliseconds: row.expiresAt))
    if letters == nil { digest = Digest.hex(row.digest) }
    createdAt = TestInstant(milliseconds: row.createdAt)
    if row.family != row.digest { family = Digest.hex(row.family) }
    refreshedAt = row.refreshedAt.map(TestInstant.init(milliseconds:))
    if row.state == .retired { retired = true }
  }

  /// - Parameter expiry: of a token that is given none.
  func row(_ digest: [UInt8], of userID: Int64, now: Int64, expiry: Int64) -> SelfieAPI.Token {
    SelfieAPI.Token(
      digest: digest, userID: userID,
      expiresAt: expiresAt?.milliseconds ?? expiresIn.map { now &+ $0.milliseconds } ?? expiry,
      createdAt: createdAt?.milliseconds ?? now, family: family.flatMap { Hex.decode($0.utf8) },
      refreshedAt: refreshedAt?.milliseconds, state: retired ?? false ? .retired : .live)
  }
}

extension Seed.Photo {
  init(_ row: SelfieAPI.Photo) {
    self.init(
      title: row.title, name: row.name ?? "", randomID: row.randomID,
      createdAt: TestInstant(milliseconds: row.createdAt))
    (id, contentType, byteCount) = (row.id, row.contentType, row.byteCount)
    updatedAt = TestInstant(milliseconds: row.updatedAt)
  }
}

extension Seed.Note {
  init(_ row: SelfieAPI.Note) {
    self.init(
      title: row.title, body: row.body, createdAt: TestInstant(milliseconds: row.createdAt),
      updatedAt: TestInstant(milliseconds: row.updatedAt))
    id = row.id
  }
}

extension Seed.MicroblogUser {
  init(
    _ row: SelfieAPI.MicroblogUser, password: String? = nil, sessions: [Seed.Session], blogposts: [SelfieAPI.Blogpost]
  ) {
    self.init(
      name: row.name, password: password, sessions: sessions, blogposts: blogposts.map(Seed.Blogpost.init),
      createdAt: TestInstant(milliseconds: row.createdAt))
    id = row.id
    if password == nil { passwordHash = row.passwordHash }
  }
}

extension Seed.Session {
  init(_ row: MicroblogSession, cookie: String? = nil) {
    self.init(cookie, usedAt: TestInstant(milliseconds: row.usedAt))
    if cookie == nil { digest = Digest.hex(row.digest) }
    createdAt = TestInstant(milliseconds: row.createdAt)
  }
}

extension Seed.Blogpost {
  init(_ row: SelfieAPI.Blogpost) {
    self.init(row.text, uuid: row.uuid, createdAt: TestInstant(milliseconds: row.createdAt))
  }
}
