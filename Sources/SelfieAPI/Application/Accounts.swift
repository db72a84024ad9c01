import Cryptography
import HTTPMessages
import Platform

/// The rules of new accounts and new passwords, for apps and for the owner. `UserStore` has the queries, and
/// MicroblogAccounts.swift the accounts of the Microblog app.
extension Application {
  /// - Throws: 403 where only the owner makes accounts.
  func requireOpenSignup() throws {
    guard settings.signup == .open else {
      throw APIError(
        .forbidden, "This server takes no sign-ups. Ask its owner for an account.", reason: .signupClosed)
    }
  }

  /// Makes an account, if its parts are such as sign-ups take.
  ///
  /// - Parameters:
  ///   - words: the user's first and last name.
  ///   - password: nil for one that did not decrypt.
  ///   - flaw: why it could not decrypt, if its form tells.
  /// - Throws: 400 that says what is wrong.
  package func makeAccount(
    words: (first: String?, last: String?), email: String, password: [UInt8]?,
    flaw: @autoclosure () -> String? = nil, hash: ([UInt8]) async throws -> String
  ) async throws -> User {
    var validation = Validation()
    if Validation.isBlank(email) { validation.add("email", "can't be blank") }
    validation.checkPassword(password, bytes: Self.signupPasswordBytes)
    if !Validation.isEmail(email) { validation.add("email", "is invalid") }
    if try await users.find(email: email) != nil { validation.add("email", "has already been taken") }
    validation.checkLength("email", email)
    validation.checkLength("first_name", words.first)
    validation.checkLength("last_name", words.last)
    guard validation.isValid, let password else {
      let detail =
        Self.finding(about: password, in: Self.signupPasswordBytes, flaw: flaw())
        ?? (Validation.isEmail(email) ? nil : "the email has not the form name@host.example")
      throw APIError(.badRequest, validation.message, detail: detail)
    }
    let passwordHash = try await hash(password)
    do {
      return try await users.insert(
        User(
          email: email, firstName: words.first, lastName: words.last, passwordHash: passwordHash, createdAt: clock()))
    } catch Refusal.accountExists {
      var validation = Validation()
      validation.add("email", "has already been taken")
      throw APIError(.badRequest, validation.message)
    }
  }

  /// Nil for a password of the right length. One that does not decrypt is told as one that is too short: the message does
  /// the same.
  private static func finding(
    about password: [UInt8]?, in range: ClosedRange<Int>, flaw: @autoclosure () -> String?
  ) -> String? {
    guard !range.contains(password?.count ?? 0) else { return nil }
    return flaw()
      ?? "the password has not \(range.lowerBound) to \(range.upperBound) bytes, or was not encrypted with \(PasswordText.key)"
  }

  package static let signupPasswordBytes = 6...30

  /// The first and the last word, which are the same if there is one only. As Ruby's `split(" ")` does, it splits at
  /// ASCII white space.
  package static func words(_ text: String) -> (first: String?, last: String?) {
    // Of bytes, since a pass over the scalars of a long text holds an event loop ten times as long.
    let bytes = Array(text.utf8)
    guard let start = bytes.firstIndex(where: { !$0.isASCIISpace }),
      let end = bytes.lastIndex(where: { !$0.isASCIISpace })
    else { return (nil, nil) }
    let words = bytes[start...end]
    let first = words.prefix { !$0.isASCIISpace }
    let last = words.lastIndex(where: \.isASCIISpace).map { words[$0...].dropFirst() } ?? words
    return (String(decoding: first, as: UTF8.self), String(decoding: last, as: UTF8.self))
  }

  /// A password that may replace another.
  ///
  /// - Parameters:
  ///   - password: nil for one that did not decrypt.
  ///   - flaw: as for an account.
  /// - Throws: 400 that says what is wrong.
  package static func newPassword(_ password: [UInt8]?, flaw: @autoclosure () -> String? = nil) throws -> [UInt8] {
    var validation = Validation()
    validation.checkPassword(password, bytes: resetPasswordBytes)
    guard validation.isValid, let password else {
      let detail = finding(about: password, in: resetPasswordBytes, flaw: flaw())
      throw APIError(.badRequest, validation.message, detail: detail)
    }
    return password
  }

  /// bcrypt reads 72 bytes; the original accepted longer passwords and ignored the rest.
  private static let resetPasswordBytes = 6...PasswordHash.maxBytes
}
