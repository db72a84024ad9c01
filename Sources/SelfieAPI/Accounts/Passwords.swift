import Cryptography
package import HTTPMessages
package import Platform

// The passwords of the API and of users: what an app sends, decrypted, compared and hashed. `Accounts` says which new
// ones are taken, and `AttemptLimits` how often one may be tried.

/// A password of the API that an app may have. It is also the key with which the app encrypts the passwords of users.
/// The passwords of users are checked by `Passwords` below.
package struct APIPassword: Sendable {
  private let credentials: BasicCredentials
  private let cipher: AESCrypt
  private let mistakes: EncryptionMistakes

  init(_ password: String, name: String) {
    credentials = BasicCredentials(name: name, password: password)
    cipher = AESCrypt(password: Array(password.utf8))
    mistakes = EncryptionMistakes(Array(password.utf8), cipher: cipher)
  }

  /// Whether a request has it by HTTP Basic.
  ///
  /// - Parameter encoded: base64, as the client sent it.
  package func match(_ encoded: ArraySlice<UInt8>) -> Bool { credentials.match(encoded) }

  /// The bytes of a password that a client sent encrypted; nil if it does not decrypt. One of 256 texts decrypts by a
  /// wrong key too, to anything.
  package func decrypt(_ text: PasswordText) -> [UInt8]? { cipher.decrypt(text.bytes) }

  /// - Parameter plain: a text that this password has decrypted.
  package func wrapper(of plain: [UInt8]) -> PasswordWrapper? { mistakes.wrapper(of: plain[...]) }

  /// Why a text does not decrypt, for a client that has this password; nil if it does, or if nothing tells.
  func flaw(of text: PasswordText) -> String? { text.flaw ?? mistakes.finding(about: text) }
}

/// Decrypts the passwords that clients send, and hashes them for the database.
package struct Passwords: Sendable {
  /// All that apps may have: the current one and, during a rotation, the one before.
  package let keys: [APIPassword]
  let cost: Int
  /// Hashing takes a quarter of a second of a core; in a pool of its own it delays nothing else. A job whose client has
  /// gone is skipped.
  let pool: WorkerPool
  /// The times that passwords waited for their turn, and the times that hashing them took.
  package let waits = Histogram(bounds: Histogram.requestBounds)
  package let hashes = Histogram(bounds: Histogram.requestBounds)

  package func hash(_ password: [UInt8], flow: Flow = Flow()) async throws -> String {
    let start = monotonicNanoseconds()
    return try await pool.runUnlessCancelled(flow: flow) {
      try measure(since: start) { try PasswordHash.make(password, cost: cost) }
    }
  }

  /// - Parameter keys: the API's passwords that the app may have.
  /// - Returns: the one that it has.
  /// - Throws: 401 unless it is the user's password; 429 after too many wrong ones.
  @discardableResult
  func check(
    _ text: PasswordText, encryptedBy keys: [APIPassword], of user: User, by attempt: LoginAttempt
  ) async throws -> APIPassword {
    if let problem = PasswordHash.costProblem(of: user.passwordHash) {
      throw APIError.wrongPassword.detailed("the stored password of this user \(problem): its owner must reset it")
    }
    // A text that does not decrypt cannot be anybody's password, so it costs no hash and counts as no attempt.
    let decrypted = keys.compactMap { key in key.decrypt(text).map { (key, $0) } }
    guard !decrypted.isEmpty,
      let right = try await verify(decrypted.map(\.1), against: user.passwordHash, as: attempt)
    else {
      throw APIError.wrongPassword.detailed(
        text.flaw ?? "the password is wrong, or was not encrypted with \(PasswordText.key)")
    }
    return decrypted[right].0
  }

  /// Whether the hash is of this password. It is nil if no account has the name that was sent: the time does not tell.
  ///
  /// - Throws: 429 after too many failures.
  func isRight(_ password: [UInt8], hash: String?, by attempt: LoginAttempt) async throws -> Bool {
    let hash = hash ?? PasswordHash.unmatched(cost: cost)
    return try await verify([password], against: hash, as: attempt) != nil
  }

  /// The index of the password of this hash among several; nil if it is none of them. The limit is asked when the flow in
  /// the pool has come: of many attempts that wait there together, those after the tenth failure are refused without a
  /// hash.
  ///
  /// - Throws: 429 after too many failures.
  private func verify(_ passwords: [[UInt8]], against hash: String, as attempt: LoginAttempt) async throws -> Int? {
    let start = monotonicNanoseconds()
    return try await pool.runUnlessCancelled(flow: attempt.flow) {
      try attempt.tried {
        measure(since: start) { passwords.firstIndex { PasswordHash.verify($0, against: hash) } }
      }
    }
  }

  /// Runs work that hashes passwords, which has waited since `start`, in monotonic nanoseconds.
  private func measure<Result>(since start: Int64, _ work: () throws -> Result) rethrows -> Result {
    let beginning = monotonicNanoseconds()
    waits.observe(beginning &- start)
    defer { hashes.observe(monotonicNanoseconds() &- beginning) }
    return try work()
  }
}

/// The text that a client sent in place of an encrypted password. `APIPassword` decrypts it.
package struct PasswordText: Sendable {
  let bytes: [UInt8]
  /// What the client sent instead of a text; nil if it was one.
  private var otherKind: String?

  /// The original decoded `password.to_s`: of a list, the texts that come first, since its brackets and quotes are no
  /// Base64. That is kept, since it gives nothing away. Only a list of one is refused: it is a string in the wrong shape.
  /// No number and no object has a printed form that decrypts.
  ///
  /// - Throws: 400 for a list of one, and for a file; 413 for a text that would take long to decrypt.
  package init(_ value: ParameterValue?) throws {
    switch value {
    case .string(let text)?: bytes = Array(text.utf8)
    case .array(let elements)? where elements.count == 1:
      throw APIError(.badRequest, "A password must be a string, not a list.")
    case .array(let elements)?:
      let texts = elements.map { if case .string(let text) = $0 { text } else { String?.none } }
      bytes = texts.prefix { $0 != nil }.flatMap { Array(($0 ?? "").utf8) }
      if !elements.isEmpty, bytes.isEmpty { otherKind = value?.kind }
    case .file?: throw APIError(.badRequest, "A password must be a string, not a file.")
    case .undecodable?: throw APIError.undecodable("of a password")
    default: (bytes, otherKind) = ([], value?.kind)
    }
    guard bytes.count <= RequestLimits.maxPasswordBytes else {
      throw APIError(.contentTooLarge, "A password is longer than \(RequestLimits.maxPasswordBytes) bytes.")
    }
  }

  /// The Base64 of one block of AES, without its padding. A shorter text is a password that was not encrypted.
  private static let minEncryptedLetters = 22

  /// How AESCrypt encrypts.
  static let key = "AES-256-CBC (key: SHA-256 of the API password, IV: 16 zero bytes, padding: PKCS #7)"

  /// Why this is no encrypted text, whatever the key; nil if it has the form of one.
  var flaw: String? {
    let form = "expected Base64 of \(Self.key)"
    if bytes.isEmpty { return "the password is \(otherKind ?? "empty"); \(form)" }
    if bytes.contains(UInt8(ascii: " ")) {
      return "the password has a space where Base64 has \"+\"; in a form or a query, write + as %2B"
    }
    // "Salted__"
    if bytes.starts(with: "U2FsdGVkX1".utf8) {
      return "the password was encrypted by a passphrase, as CryptoJS and openssl enc do; \(form)"
    }
    if bytes.starts(with: "data:".utf8) {
      return "the password begins with \"data:\", as the address of data does; send only the Base64 after the comma"
    }
    if bytes.starts(with: "$2".utf8) { return "the password is a hash of bcrypt; \(form)" }
    if bytes.count >= Self.minEncryptedLetters, bytes.allSatisfy({ Hex.value(of: $0) != nil }) {
      return "the password is hexadecimal, as a hash is printed; \(form)"
    }
    if bytes.contains(UInt8(ascii: "%")) {
      return "the password contains \"%\", which Base64 never does: it was probably percent-encoded twice; \(form)"
    }
    if bytes.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }),
      bytes.allSatisfy({ $0.isASCIIAlphanumeric || "-_=\r\n".utf8.contains($0) }),
      bytes.count >= Self.minEncryptedLetters
    {
      return "the password contains - or _, so it is URL-safe Base64; expected the standard alphabet, with + and /"
    }
    let others = bytes.contains { !Base64.isCharacter($0) && !"=\r\n".utf8.contains($0) }
    let count = others ? 0 : Base64.decodeLeniently(bytes).count
    guard count == 0 || count % AESCrypt.blockBytes != 0 else { return nil }
    let size =
      count > 0 && bytes.count >= Self.minEncryptedLetters
      ? ": its Base64 stands for \(count) bytes, which is not a multiple of \(AESCrypt.blockBytes)" : ""
    return "the password is not encrypted, or was changed on its way\(size); \(form)"
  }
}
