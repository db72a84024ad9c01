import Cryptography
package import HTTPMessages
import Platform

/// The text that a client sent in place of an encrypted password. `Passwords` decrypts it.
package struct PasswordText: Sendable {
  let bytes: [UInt8]

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
    case .file?: throw APIError(.badRequest, "A password must be a string, not a file.")
    default: bytes = []
    }
    guard bytes.count <= RequestLimits.maxTextBytes else {
      throw APIError(.contentTooLarge, "A password is longer than \(RequestLimits.maxTextBytes) bytes.")
    }
  }

  /// How AESCrypt encrypts.
  static let key = "key SHA-256 of the API's password, IV 16 zero bytes"

  /// Why this is no encrypted text, whatever the key; nil if it has the form of one.
  var flaw: String? {
    let form = "needed is Base64 of AES-256-CBC, \(Self.key)"
    if bytes.isEmpty { return "the password is empty, or is no text; \(form)" }
    if bytes.contains(UInt8(ascii: " ")) {
      return "the password has a space where Base64 has \"+\"; in a form or a query, write + as %2B"
    }
    // "Salted__"
    if bytes.starts(with: "U2FsdGVkX1".utf8) {
      return "the password was encrypted by a passphrase, as CryptoJS and openssl enc do; \(form)"
    }
    if bytes.contains(UInt8(ascii: "%")) {
      return "the password has a \"%\", which Base64 has not: it may be percent-encoded once too often; \(form)"
    }
    let others = bytes.contains { !$0.isASCIIAlphanumeric && !"+/=\r\n".utf8.contains($0) }
    let count = Base64.decodeLeniently(bytes).count
    guard others || count == 0 || count % AESCrypt.blockBytes != 0 else { return nil }
    return "the password is not encrypted, or was changed on its way; \(form)"
  }
}
