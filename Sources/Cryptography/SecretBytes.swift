import COpenSSL

/// Bytes that are overwritten before their memory is given back.
///
/// `@unchecked Sendable`: the memory is written by `init` and `deinit` only, so whoever shares it only reads.
final class SecretBytes: @unchecked Sendable {
  private let buffer: UnsafeMutableRawBufferPointer

  init(_ bytes: [UInt8]) {
    buffer = .allocate(byteCount: bytes.count, alignment: 1)
    buffer.copyBytes(from: bytes)
  }

  deinit {
    OPENSSL_cleanse(buffer.baseAddress, buffer.count)
    buffer.deallocate()
  }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(buffer)) }
  }
}

extension [UInt8] {
  /// Overwrites the elements. Copies made earlier keep theirs.
  mutating func cleanse() {
    withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}
