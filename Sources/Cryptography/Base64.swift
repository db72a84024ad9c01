import COpenSSL
import Platform

/// Base64 (RFC 4648, section 4). Hexadecimal text is `Hex` in Platform.
package enum Base64 {
  /// Decodes like Ruby's `Base64.decode64`: skips bytes outside the standard alphabet (line breaks, but `-` and `_`
  /// too), stops at the first `=`, and needs no padding. Never fails: a single last character is ignored.
  package static func decodeLeniently(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var characters: [UInt8] = []
    characters.reserveCapacity(text.count + 3)
    for byte in text {
      if byte == UInt8(ascii: "=") { break }
      if isCharacter(byte) { characters.append(byte) }
    }
    let count = characters.count * 6 / 8
    guard count > 0 else { return [] }
    // libcrypto takes groups of four only.
    characters += repeatElement(UInt8(ascii: "A"), count: (4 - characters.count % 4) % 4)
    return [UInt8](unsafeUninitializedCapacity: characters.count / 4 * 3) { bytes, initialized in
      let decoded = EVP_DecodeBlock(bytes.baseAddress, characters, Int32(characters.count))
      initialized = min(count, max(0, Int(decoded)))
    }
  }

  /// As above, for other texts.
  package static func decodeLeniently(_ text: some Sequence<UInt8>) -> [UInt8] { decodeLeniently(Array(text)[...]) }

  /// Whether a byte is in the standard alphabet, without `=`.
  @inlinable
  package static func isCharacter(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
  }

  /// Encodes `bytes`, with padding and without line breaks.
  package static func encode(_ bytes: [UInt8]) -> String {
    // libcrypto adds a NUL.
    String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4 + 1) { text in
      Int(EVP_EncodeBlock(text.baseAddress, bytes, Int32(bytes.count)))
    }
  }
}
