import Cryptography
import Platform
import SelfieAPI
import SelfieTestDocuments

// The records of a seed as they are stored. SeedRules.swift validates the records, StoredState+Seed.swift stores them, and
// RowDocuments.swift has the way back.

extension Seed.User {
  func row(passwordHash: String, now: Int64) -> SelfieAPI.User {
    SelfieAPI.User(
      email: email, firstName: names.first, lastName: names.last, passwordHash: passwordHash,
      createdAt: createdAt?.milliseconds ?? now, updatedAt: updatedAt?.milliseconds,
      disabledAt: disabledAt?.milliseconds)
  }
}

extension Seed.Token {
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
  /// The row of a photo whose user is not stored yet, and its bytes.
  func content(in parts: Seed.Parts, random: RandomSource, now: Int64) -> (row: SelfieAPI.Photo, bytes: [UInt8]) {
    let (name, bytes) = (name ?? part.flatMap { parts[$0]?.filename } ?? "photo", bytes(in: parts) ?? [])
    let row = SelfieAPI.Photo(
      randomID: randomID ?? random.letters(SelfieAPI.Photo.idLength), userID: 0, name: name.isEmpty ? nil : name,
      title: title ?? "",
      byteCount: Int64(bytes.count), contentType: ContentType(beginning: bytes).name,
      createdAt: createdAt?.milliseconds ?? now, updatedAt: updatedAt?.milliseconds, sha256: Digest.sha256(bytes))
    return (row, bytes)
  }
}
