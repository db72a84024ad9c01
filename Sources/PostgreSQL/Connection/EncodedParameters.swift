import SQL

/// The values of a statement's parameters as libpq takes them. Results are read by `FetchedResult`.
///
/// Integers travel as text: the server then converts them to whatever integer type it expects, where 8 binary bytes
/// would be an error for a parameter of 4. Bytes travel as they are, which halves them compared with the text form.
struct EncodedParameters {
  /// The limit of a text or a bytea, as for SQLite. Photos are not in the database, so even a megabyte is a lot.
  static let maxValueBytes = 16 << 20

  /// The values one after the other, each followed by a NUL, which ends a text for libpq.
  private var bytes: [UInt8] = []
  private var offsets: [Int?] = []
  private var lengths: [Int32] = []
  private var formats: [Int32] = []

  init(_ values: [Value]) throws(SharedDatabaseError) {
    for value in values {
      offsets.append(value == .null ? nil : bytes.count)
      let start = bytes.count
      var isBinary = false
      switch value {
      case .null: break
      case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
      case .text(let text):
        bytes.append(contentsOf: text.utf8)
        guard !bytes[start...].contains(0) else { throw SharedDatabaseError(.nulInText, "a text holds U+0000") }
      case .blob(let blob):
        bytes.append(contentsOf: blob)
        isBinary = true
      }
      let count = bytes.count - start
      guard count <= Self.maxValueBytes else {
        throw SharedDatabaseError(.bug, "a value of \(count) bytes, more than \(Self.maxValueBytes)")
      }
      lengths.append(Int32(count))
      formats.append(isBinary ? 1 : 0)
      bytes.append(0)
    }
  }

  /// Calls `send` with the arrays of PQsendQueryPrepared (postgresql.org/docs/15/libpq-async.html).
  ///
  /// The pointers are right because each points into `bytes`, which does not change while `send` runs, and libpq copies
  /// what it sends.
  func withPointers<Result>(
    _ send: (_ count: Int32, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { bytes in
      let chars = bytes.bindMemory(to: CChar.self)
      let values = offsets.map { offset in
        offset.flatMap { offset in chars.baseAddress.map { UnsafePointer($0 + offset) } }
      }
      return send(Int32(values.count), values, lengths, formats)
    }
  }
}
