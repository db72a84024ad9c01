import COpenSSL

/// A `BIO` on bytes in memory, for the functions of libcrypto that read PEM.
struct MemoryBIO: ~Copyable {
  let pointer: OpaquePointer

  /// Holds a copy of `bytes`.
  init(_ bytes: [UInt8]) {
    guard let pointer = BIO_new(BIO_s_mem()) else { fatalError("BIO_new: out of memory") }
    self.pointer = pointer
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { BIO_write(pointer, $0.baseAddress, Int32(clamping: $0.count)) }
      guard count > 0 else { fatalError("BIO_write: out of memory") }
      rest = rest.dropFirst(Int(count))
    }
  }

  deinit {
    BIO_free(pointer)
  }
}
