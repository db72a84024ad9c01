import Cryptography
import Platform

/// Tells how an app has encrypted a password that is refused, by decrypting it in the ways that are mistaken for the right
/// one. `PasswordText` tells what its form alone says.
///
/// Only a client that has the API's password may learn this: it could decrypt the text itself.
struct EncryptionMistakes: Sendable {
  private let cipher: AESCrypt
  /// Keys that apps use instead, with their names for a person.
  private let otherKeys: [(name: String, cipher: AESCrypt)]

  /// Bytes of an encrypted text. Passwords have less than half of it.
  private static let maxBytes = 256
  private static let block = AESCrypt.blockBytes

  /// - Parameter password: that of the API.
  init(_ password: [UInt8], cipher: AESCrypt) {
    self.cipher = cipher
    let size = AESCrypt.keyBytes
    let start = password.prefix(size) + [UInt8](repeating: 0, count: max(0, size - password.count))
    let digits = Array(Digest.hex(Digest.sha256(password)).utf8.prefix(size))
    var others = [
      ("the API password itself as the key", AESCrypt(key: Array(start))),
      ("the hexadecimal digits of that SHA-256 as the key", AESCrypt(key: digits)),
    ]
    if let decoded = Hex.decode(password), decoded.count == size {
      others.append(("the API password, decoded from hexadecimal, as the key", AESCrypt(key: decoded)))
    }
    otherKeys = others
  }

  /// The mistake and the right way; nil if no mistake is found.
  func finding(about text: PasswordText) -> String? {
    let encrypted = Base64.decodeLeniently(text.bytes)
    guard encrypted.count <= Self.maxBytes, let plain = cipher.decryptBlocks(encrypted) else { return nil }
    let mistake =
      if let decrypted = Self.unpadded(plain) {
        wrapper(of: decrypted)?.rawValue
      } else {
        self.mistake(in: encrypted, decryptedTo: plain) ?? otherKey(of: encrypted)
      }
    return mistake.map { "\($0); expected \(PasswordText.key)" }
  }

  func wrapper(of plain: ArraySlice<UInt8>) -> PasswordWrapper? {
    if plain.allSatisfy({ Base64.isCharacter($0) || "=\r\n".utf8.contains($0) }), cipher.decrypt(Array(plain)) != nil {
      return .encryption
    }
    // An IV decrypts to random bytes, and what follows it as if it was the IV.
    return !Self.isText(plain.prefix(Self.block)) && Self.isText(plain.dropFirst(Self.block)) ? .iv : nil
  }

  /// A mistake with the right key.
  private func mistake(in encrypted: [UInt8], decryptedTo plain: [UInt8]) -> String? {
    if encrypted.allSatisfy({ Hex.value(of: $0) != nil }) {
      return "the password is the Base64 of hexadecimal digits, not of the encrypted bytes"
    }
    let end = plain.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    if Self.isText(plain[..<end]) {
      return end < plain.count
        ? "the password was padded with zero bytes" : "the password was encrypted without padding"
    }
    guard plain.count > Self.block else { return nil }
    if Self.isPaddedText(Self.xor(plain, with: [UInt8](repeating: 0, count: Self.block) + encrypted)) {
      return "the password was encrypted in ECB mode"
    }
    let (iv, rest) = (encrypted.suffix(Self.block), plain.dropLast(Self.block))
    return Self.isPaddedText(Self.xor(Array(rest), with: Array(iv)))
      ? "the IV stands after the encrypted password" : nil
  }

  private func otherKey(of encrypted: [UInt8]) -> String? {
    otherKeys.first { $0.cipher.decryptBlocks(encrypted).map(Self.isPaddedText) ?? false }
      .map { "the password was encrypted with \($0.name)" }
  }

  /// The bytes, each exclusive or with the other one at its place, if there is one.
  private static func xor(_ bytes: [UInt8], with others: [UInt8]) -> [UInt8] {
    zip(bytes, others).map { $0 ^ $1 } + bytes.dropFirst(others.count)
  }

  private static func isPaddedText(_ plain: [UInt8]) -> Bool { unpadded(plain).map(isText) ?? false }

  /// Without the padding of PKCS #7; nil without that.
  private static func unpadded(_ plain: [UInt8]) -> ArraySlice<UInt8>? {
    guard let count = plain.last, (1...UInt8(block)).contains(count),
      plain.suffix(Int(count)).allSatisfy({ $0 == count })
    else { return nil }
    return plain.dropLast(Int(count))
  }

  /// Whether a person may have typed it. Bytes that a wrong key has made hardly ever look so.
  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty
      && String(utf8: bytes)?.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } ?? false
  }
}

/// Something that a text which decrypts still has around the password, as a sentence.
package enum PasswordWrapper: String, Sendable {
  case encryption = "the password was encrypted twice"
  case iv = "the IV stands before the encrypted password"
}
