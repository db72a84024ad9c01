import COpenSSL

/// SHA-256 (FIPS 180-4) of bytes that come in chunks. `Digest` takes bytes that are all there.
package final class SHA256 {
  /// The length of a digest.
  package static let byteCount = 32

  /// Fetched once: OpenSSL 3 would look it up by name at each use, which takes locks. It is immutable, its references are
  /// counted atomically (EVP_MD_fetch(3)), and it lives as long as the process.
  nonisolated(unsafe) static let algorithm = {
    guard let pointer = EVP_MD_fetch(nil, "SHA256", nil) else {
      fatalError("libcrypto has no SHA256: \(CryptographyError.fromOpenSSL("EVP_MD_fetch"))")
    }
    return pointer
  }()

  private let context: OpaquePointer

  package init() {
    guard let context = EVP_MD_CTX_new() else { fatalError("EVP_MD_CTX_new: out of memory") }
    self.context = context
    begin()
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  package func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  package func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { update($0) }
  }

  package func update(_ bytes: UnsafeRawBufferPointer) {
    Self.check(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count))
  }

  /// The 32 bytes of the digest. Begins a new one.
  package func finish() -> [UInt8] {
    let digest = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.byteCount) { digest in
      Self.check(EVP_DigestFinal_ex(context, digest.baseAddress, nil))
      return Array(digest)
    }
    begin()
    return digest
  }

  private func begin() {
    Self.check(EVP_DigestInit_ex(context, Self.algorithm, nil))
  }

  /// SHA-256 fails only if there is no memory. The process ends then, since a wrong digest must never be used.
  private static func check(_ result: Int32) {
    guard result == 1 else { fatalError("\(CryptographyError.fromOpenSSL("SHA-256"))") }
  }
}
