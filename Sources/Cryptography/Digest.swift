import COpenSSL
import Platform

/// Digests of bytes that are all there (FIPS 180-4), and their hexadecimal form. `SHA256` takes bytes that come in
/// chunks.
package enum Digest {
  /// Each thread has one, because making one costs as much as hashing 64 bytes.
  private static let context = ThreadLocal<SHA256>()

  /// The 32 bytes of SHA-256.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    let context: SHA256
    if let known = Self.context.value {
      context = known
    } else {
      context = SHA256()
      Self.context.value = context
    }
    context.update(bytes)
    return context.finish()
  }

  /// The 32 bytes of HMAC-SHA-256 (RFC 2104).
  package static func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { code, count in
      guard
        HMAC(SHA256.algorithm, key, Int32(clamping: key.count), bytes, bytes.count, code.baseAddress, nil) != nil
      else { fatalError("\(CryptographyError.fromOpenSSL("HMAC"))") }
      count = SHA256.byteCount
    }
  }

  /// Two lower-case digits for each byte.
  package static func hex(_ bytes: [UInt8]) -> String {
    String(decoding: Hex.encode(bytes), as: UTF8.self)
  }
}
