import Cryptography
import Platform
import SelfieAPI
import SelfieTestDocuments

// What is stored as records of a seed. Secrets that are not kept are handed in. SeedRows.swift has the way back.

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
