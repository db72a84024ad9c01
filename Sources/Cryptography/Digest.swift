import COpenSSL
import Glibc

/// One-shot message digests (FIPS 180-4) and their hexadecimal form.
public enum Digest {
  /// The 32 bytes of SHA-256.
  public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { sha256($0) }
  }

  /// The 32 bytes of SHA-256.
  public static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { digest, count in
      let context = ThreadContext.current
      guard
        EVP_DigestInit_ex(context, SHA256.algorithm.pointer, nil) == 1,
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1,
        EVP_DigestFinal_ex(context, digest.baseAddress, nil) == 1
      else { fatalError("\(CryptographyError.fromOpenSSL("SHA-256"))") }
      count = SHA256.byteCount
    }
  }

  /// The 32 bytes of HMAC-SHA-256 (RFC 2104).
  public static func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { code, count in
      guard
        HMAC(
          SHA256.algorithm.pointer, key, Int32(clamping: key.count), bytes, bytes.count, code.baseAddress, nil) != nil
      else { fatalError("\(CryptographyError.fromOpenSSL("HMAC"))") }
      count = SHA256.byteCount
    }
  }

  /// Two lower-case digits for each byte.
  public static func hex(_ bytes: [UInt8]) -> String {
    String(decoding: hexDigits(bytes[...]), as: UTF8.self)
  }

  /// Two lower-case digits for each byte, in ASCII.
  public static func hexDigits(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let digits: StaticString = "0123456789abcdef"
    return digits.withUTF8Buffer { digits in
      [UInt8](unsafeUninitializedCapacity: 2 * bytes.count) { text, count in
        for byte in bytes {
          text[count] = digits[Int(byte >> 4)]
          text[count + 1] = digits[Int(byte & 15)]
          count += 2
        }
      }
    }
  }
}

/// A digest context for each thread. Making one costs as much as hashing 64 bytes.
private enum ThreadContext {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    guard pthread_key_create(&key, { EVP_MD_CTX_free(OpaquePointer($0)) }) == 0 else {
      fatalError("pthread_key_create: no thread-specific key is left")
    }
    return key
  }()

  /// Must not be used across a suspension, which may change the thread.
  static var current: OpaquePointer {
    if let context = pthread_getspecific(key) { return OpaquePointer(context) }
    guard let context = EVP_MD_CTX_new() else { fatalError("EVP_MD_CTX_new: out of memory") }
    guard pthread_setspecific(key, UnsafeRawPointer(context)) == 0 else {
      fatalError("pthread_setspecific: out of memory")
    }
    return context
  }
}
