import Cryptography
import Platform

/// Remembers for a few minutes which passwords were found right, for clients that send them with each request: bcrypt
/// takes a quarter of a second. NotesAuthentication.swift checks requests with it, and `AttemptLimits` counts wrong
/// passwords.
///
/// It holds no password, but a keyed digest of the password and its hash. So nothing is found again once a user has
/// another password.
final class VerifiedCredentials: Sendable {
  /// In milliseconds.
  private static let lifetime: Int64 = 600_000
  /// At a hundred bytes each, a megabyte.
  private static let maxEntries = 10_000

  /// Only this process has it, so that a core dump's or a swap file's digests cannot be guessed elsewhere.
  private let key: [UInt8]
  /// Unix milliseconds at which the digests were found right.
  private let entries = Monitor<[[UInt8]: Int64]>([:])

  init(random: RandomSource) {
    key = random.bytes(32)
  }

  func contains(_ password: [UInt8], of user: User, now: Int64) -> Bool {
    let digest = digest(password, user)
    return entries.withLock { entries in
      guard let since = entries[digest] else { return false }
      return isFresh(since, now)
    }
  }

  func insert(_ password: [UInt8], of user: User, now: Int64) {
    let digest = digest(password, user)
    entries.withLock { entries in
      if entries.count >= Self.maxEntries { entries = entries.filter { isFresh($0.value, now) } }
      // Some of the entries are forgotten rather than this one, whose client is active.
      if entries.count >= Self.maxEntries { entries = [:] }
      entries[digest] = now
    }
  }

  /// A clock that was set back makes an entry older, not younger.
  private func isFresh(_ since: Int64, _ now: Int64) -> Bool { since <= now && now &- since < Self.lifetime }

  private func digest(_ password: [UInt8], _ user: User) -> [UInt8] {
    Digest.hmacSHA256(Array("\(user.id) \(user.passwordHash) ".utf8) + password, key: key)
  }
}
