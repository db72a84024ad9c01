import Cryptography
import Platform

/// Decrypts the passwords that clients send, and hashes them for the database.
package struct Passwords: Sendable {
  private let cipher: AESCrypt
  private let cost: Int
  /// Hashing takes a quarter of a second of a core; in a pool of its own it delays nothing else. A job whose client has
  /// gone is skipped.
  private let pool: WorkerPool

  init(apiPassword: [UInt8], cost: Int, pool: WorkerPool) {
    cipher = AESCrypt(password: apiPassword)
    self.cost = cost
    self.pool = pool
  }

  /// The bytes of a password that a client sent encrypted; nil if it does not decrypt.
  package func decrypt(_ text: PasswordText) -> [UInt8]? {
    cipher.decrypt(text.bytes)
  }

  package func hash(_ password: [UInt8], turn: Turn = Turn()) async throws -> String {
    let cost = cost
    return try await pool.runUnlessCancelled(turn: turn) { try PasswordHash.make(password, cost: cost) }
  }

  /// Whether it is the password of this hash. The attempt is checked and counted when its turn in the pool has come: of
  /// many attempts that wait there together, those behind the tenth failure are refused without a hash.
  ///
  /// - Throws: 429 after too many failures.
  func verify(
    _ password: [UInt8], against hash: String, as attempt: LoginAttempt, turn: Turn
  ) async throws -> Bool {
    try await pool.runUnlessCancelled(turn: turn) {
      try attempt.check()
      let isCorrect = PasswordHash.verify(password, against: hash)
      isCorrect ? attempt.succeed() : attempt.fail()
      return isCorrect
    }
  }
}
