import Cryptography
import HTTPMessages
import Platform

/// The users' passwords: how they travel, and how they are kept.
package struct Passwords: Sendable {
  private let cipher: AESCrypt
  private let cost: Int
  /// Hashing takes a quarter of a second of a core; on a lane of its own it delays nothing else. What waits there for a
  /// client that has gone is not done.
  private let lane: WorkerPool

  init(apiPassword: [UInt8], cost: Int, lane: WorkerPool) {
    cipher = AESCrypt(password: apiPassword)
    self.cost = cost
    self.lane = lane
  }

  /// The bytes of a password that a client sent encrypted; nil when it does not decrypt.
  func decrypt(_ text: PasswordText) -> [UInt8]? {
    cipher.decrypt(text.bytes)
  }

  package func hash(_ password: [UInt8]) async throws -> String {
    let cost = cost
    return try await lane.runUnlessCancelled { try PasswordHash.make(password, cost: cost) }
  }

  /// Whether it is the password of this hash. The attempt is checked and counted on the lane itself:
  /// of many guesses that wait there together, those behind the tenth that fails are not made any more.
  ///
  /// - Throws: 429 when there have been too many failures by the time its turn has come.
  func verify(_ password: [UInt8], against hash: String, as guess: Guess) async throws -> Bool {
    try await lane.runUnlessCancelled {
      try guess.check()
      let isRight = PasswordHash.verify(password, against: hash)
      isRight ? guess.forgive() : guess.record()
      return isRight
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
