import COpenSSL

/// Bytes that are overwritten before their memory is freed. `AESCrypt` and `PasswordHash` use them for keys and
/// passwords. ConstantTime.swift compares secrets.
///
/// `@unchecked Sendable`: only `init` and `deinit` write to the memory.
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
  /// Overwrites the elements, but not those of copies that were made earlier.
  mutating func cleanse() {
    withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}
