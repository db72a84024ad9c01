import Cryptography
import HTTPMessages
import Platform

/// The users' passwords: how they travel, and how they are kept.
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

  /// The bytes of a password that a client sent encrypted; nil when it does not decrypt.
  func decrypt(_ text: PasswordText) -> [UInt8]? {
    cipher.decrypt(text.bytes)
  }

  package func hash(_ password: [UInt8]) async throws -> String {
    let cost = cost
    return try await pool.runUnlessCancelled { try PasswordHash.make(password, cost: cost) }
  }

  /// Whether it is the password of this hash. The attempt is checked and counted when its turn in the pool has come: of
  /// many attempts that wait there together, those behind the tenth failure are refused without a hash.
  ///
  /// - Throws: 429 after too many failures.
  func verify(_ password: [UInt8], against hash: String, as attempt: LoginAttempt) async throws -> Bool {
    try await pool.runUnlessCancelled {
      try attempt.check()
      let isCorrect = PasswordHash.verify(password, against: hash)
      isCorrect ? attempt.succeed() : attempt.fail()
      return isCorrect
    }
  }
}

extension Application {
  /// Whether a parameter is a password that was encrypted with the API's.
  package func decrypts(_ parameter: ParameterValue) -> Bool {
    guard let text = try? PasswordText(parameter) else { return false }
    return passwords.decrypt(text) != nil
  }

  /// The API's password, for those who must not show it.
  package var apiPassword: [UInt8] { authentication.authPassword }
}

/// What stands where a client should put its encrypted password.
struct PasswordText: Sendable {
  let bytes: [UInt8]

  /// The original decoded `password.to_s`, so that a number or an object is a password that does not
  /// decrypt, and the printed form of a list is read up to the first padding. That is kept, for it
  /// gives nothing away, save for a list of one: it is a string in the wrong shape, and is refused.
  init(_ value: ParameterValue) throws {
    if case .array(let elements) = value, elements.count == 1 {
      throw APIError(.badRequest, "A password must be a string, not a list.")
    }
    if case .file = value { throw APIError(.badRequest, "A password must be a string, not a file.") }
    bytes = Array(Self.printed(value, isInside: false).utf8)
  }

  /// Ruby's `to_s` of the value, and `inspect` of what it contains.
  private static func printed(_ value: ParameterValue, isInside: Bool) -> String {
    switch value {
    case .null: isInside ? "nil" : ""
    case .bool(let value): value ? "true" : "false"
    case .number(let text): text
    case .string(let text): isInside ? inspect(text) : text
    case .array(let elements): "[" + elements.map { printed($0, isInside: true) }.joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(inspect($0))=>\(printed($1, isInside: true))" }.joined(separator: ", ") + "}"
    case .file: ""
    }
  }

  private static func inspect(_ text: String) -> String {
    var out = "\""
    for character in text.unicodeScalars {
      switch character {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      default: out.unicodeScalars.append(character)
      }
    }
    return out + "\""
  }
}
