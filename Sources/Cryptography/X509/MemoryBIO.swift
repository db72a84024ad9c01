import COpenSSL

/// A `BIO` on bytes in memory, for the functions of libcrypto that read and write text.
struct MemoryBIO: ~Copyable {
  let pointer: OpaquePointer

  /// Holds a copy of `bytes`.
  init(_ bytes: [UInt8] = []) {
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

  /// What `write` writes into a BIO.
  static func text(_ write: (OpaquePointer) -> Int32) -> [UInt8] {
    let target = MemoryBIO()
    guard write(target.pointer) == 1 else { fatalError("\(CryptographyError.fromOpenSSL("writing PEM"))") }
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(target.pointer))
    let count = BIO_read(target.pointer, &bytes, Int32(clamping: bytes.count))
    return Array(bytes.prefix(Int(max(0, count))))
  }
}
