import COpenSSL

/// SHA-256 (FIPS 180-4) of bytes that come in chunks. A copy goes on independently of the original.
public struct SHA256: Sendable {
  /// The length of a digest.
  public static let byteCount = 32

  private var context = SHA256Context()

  public init() {}

  public mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  public mutating func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { update($0) }
  }

  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if !isKnownUniquelyReferenced(&context) { context = SHA256Context(copying: context) }
    context.update(bytes)
  }

  /// The 32 bytes of the digest. Begins a new one.
  public mutating func finish() -> [UInt8] {
    if !isKnownUniquelyReferenced(&context) { context = SHA256Context(copying: context) }
    return context.finish()
  }
}

/// Owns an `EVP_MD_CTX`.
///
/// `@unchecked Sendable`: `SHA256` changes a context only while it holds the single reference to it, and `Digest` has one
/// for each thread.
final class SHA256Context: @unchecked Sendable {
  /// Fetched once: OpenSSL 3 would look it up by name at each use, which takes locks. It is immutable, its references are
  /// counted atomically (EVP_MD_fetch(3)), and it lives as long as the process.
  nonisolated(unsafe) static let algorithm = {
    guard let pointer = EVP_MD_fetch(nil, "SHA256", nil) else {
      fatalError("libcrypto has no SHA256: \(CryptographyError.fromOpenSSL("EVP_MD_fetch"))")
    }
    return pointer
  }()

  private let pointer: OpaquePointer

  init() {
    pointer = Self.allocate()
    begin()
  }

  init(copying other: SHA256Context) {
    pointer = Self.allocate()
    Self.check(EVP_MD_CTX_copy_ex(pointer, other.pointer))
  }

  deinit {
    EVP_MD_CTX_free(pointer)
  }

  func update(_ bytes: UnsafeRawBufferPointer) {
    Self.check(EVP_DigestUpdate(pointer, bytes.baseAddress, bytes.count))
  }

  func finish() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: SHA256.byteCount)
    Self.check(EVP_DigestFinal_ex(pointer, &digest, nil))
    begin()
    return digest
  }

  private func begin() {
    Self.check(EVP_DigestInit_ex(pointer, Self.algorithm, nil))
  }

  private static func allocate() -> OpaquePointer {
    guard let pointer = EVP_MD_CTX_new() else { fatalError("EVP_MD_CTX_new: out of memory") }
    return pointer
  }

  /// SHA-256 fails only if there is no memory. The process ends then, since a wrong digest must never be used.
  private static func check(_ result: Int32) {
    guard result == 1 else { fatalError("\(CryptographyError.fromOpenSSL("SHA-256"))") }
  }
}
