import COpenSSL
import Platform

/// Base64 (RFC 4648, section 4). Hexadecimal text is `Hex` in Platform.
package enum Base64 {
  /// Decodes like Ruby's `Base64.decode64`: skips bytes outside the standard alphabet (line breaks, but `-` and `_`
  /// too), stops at the first `=`, and needs no padding. Never fails: a single last character is ignored.
  package static func decodeLeniently(_ text: some Sequence<UInt8>) -> [UInt8] {
    var characters = text.prefix { $0 != UInt8(ascii: "=") }.filter { $0.isASCIIAlphanumeric || "+/".utf8.contains($0) }
    let count = characters.count * 6 / 8
    guard count > 0 else { return [] }
    // libcrypto takes groups of four only.
    characters += repeatElement(UInt8(ascii: "A"), count: (4 - characters.count % 4) % 4)
    return [UInt8](unsafeUninitializedCapacity: characters.count / 4 * 3) { bytes, initialized in
      let decoded = EVP_DecodeBlock(bytes.baseAddress, characters, Int32(characters.count))
      initialized = min(count, max(0, Int(decoded)))
    }
  }

  /// Encodes `bytes`, with padding and without line breaks.
  package static func encode(_ bytes: [UInt8]) -> String {
    // libcrypto adds a NUL.
    String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4 + 1) { text in
      Int(EVP_EncodeBlock(text.baseAddress, bytes, Int32(bytes.count)))
    }
  }
}
