import Cryptography
import HTTPMessages
import Platform

/// The rules of new accounts and new passwords, for apps and for the owner. `UserStore` has the queries, and
/// MicroblogAccounts.swift the accounts of the Microblog app.
package struct Accounts: Sendable {
  let users: UserStore
  /// Unix milliseconds.
  let clock: @Sendable () -> Int64

  /// Makes an account, if its parts are such as sign-ups take.
  ///
  /// - Parameters:
  ///   - password: nil for one that did not decrypt.
  ///   - flaw: what is wrong with the text that was sent, if that can be told.
  /// - Throws: 400 that says what is wrong.
  package func make(
    _ name: FullName, email: String, password: [UInt8]?,
    flaw: @autoclosure () -> String? = nil, hash: ([UInt8]) async throws -> String
  ) async throws -> User {
    var validation = Validation()
    if Validation.isBlank(email) { validation.add("email", "can't be blank") }
    validation.checkPassword(password, bytes: Self.signupPasswordBytes)
    if !Validation.isEmail(email) { validation.add("email", "is invalid") }
    if try await users.find(email: email) != nil { validation.add("email", "has already been taken") }
    validation.checkLength("email", email)
    validation.checkLength("first_name", name.first)
    validation.checkLength("last_name", name.last)
    guard validation.isValid, let password else {
      let detail =
        Self.finding(about: password, in: Self.signupPasswordBytes, flaw: flaw())
        ?? (Validation.isEmail(email) ? nil : "the email does not look like name@host.example")
      throw APIError(.badRequest, validation.message, detail: detail)
    }
    let passwordHash = try await hash(password)
    do {
      return try await users.insert(
        User(
          email: email, firstName: name.first, lastName: name.last, passwordHash: passwordHash, createdAt: clock()))
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
    if let flaw = flaw() { return flaw }
    if let password, password.count > range.upperBound { return "the password has more than \(range.upperBound) bytes" }
    return
      "the password must be \(range.lowerBound) to \(range.upperBound) bytes long and encrypted with \(PasswordText.key)"
  }

  package static let signupPasswordBytes = 6...30

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
