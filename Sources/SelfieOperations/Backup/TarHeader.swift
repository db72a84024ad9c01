import SelfieAPI

/// The header of a plain file, readable by its owner only, in a tar archive (POSIX pax(1), "ustar Interchange Format").
///
/// There is one way to write each header, and no other is read. So no bit of it can be wrong unnoticed, and links,
/// devices and other things that a tar archive can hold are refused.
struct TarHeader: Equatable {
  /// The size of a header, and of the blocks to which contents are padded.
  static let blockBytes = 512
  /// Two blocks of zeros end an archive.
  static let end = [UInt8](repeating: 0, count: 2 * blockBytes)
  /// Eleven octal digits, for 8 GiB. A larger size is written in binary, as GNU tar and bsdtar do.
  private static let maxInDigits: Int64 = 0o777_7777_7777

  /// In ASCII, at most 100 bytes.
  let name: String
  let byteCount: Int64
  /// In In Unix seconds.
  let modifiedAt: Int64

  init(name: String, byteCount: Int64, modifiedAt: Int64) {
    self.name = name
    self.byteCount = max(0, byteCount)
    self.modifiedAt = min(max(0, modifiedAt), Self.maxInDigits)
  }

  /// - Parameter block: 512 bytes. The result is nil unless this type would write the same.
  init?(_ block: [UInt8]) {
    guard block.count == Self.blockBytes else { return nil }
    let name = block[Field.name].prefix { $0 != 0 }
    guard name.allSatisfy({ (0x21...0x7e).contains($0) }), let byteCount = Self.size(block[Field.size]),
      let modifiedAt = Self.number(block[Field.modifiedAt].dropLast())
    else { return nil }
    self.init(name: String(decoding: name, as: UTF8.self), byteCount: byteCount, modifiedAt: modifiedAt)
    guard bytes == block else { return nil }
  }

  /// How many zeros follow the contents.
  var padding: Int { Self.padding(after: byteCount) }

  static func padding(after byteCount: Int64) -> Int {
    (blockBytes - Int(byteCount % Int64(blockBytes))) % blockBytes
  }

  var bytes: [UInt8] {
    var header = [UInt8](repeating: 0, count: Self.blockBytes)
    func put(_ bytes: some Sequence<UInt8>, in field: Range<Int>) {
      for (index, byte) in zip(field, bytes) { header[index] = byte }
    }
    put(name.utf8, in: Field.name)
    put(Self.digits(0o600, 7), in: Field.mode)
    for field in [Field.user, Field.group, Field.major, Field.minor] { put(Self.digits(0, 7), in: field) }
    if byteCount > Self.maxInDigits {
      put([0x80, 0, 0, 0], in: Field.size)
      let binary = (0..<8).reversed().map { UInt8(truncatingIfNeeded: byteCount >> (8 * Int64($0))) }
      put(binary, in: Field.size.dropFirst(4))
    } else {
      put(Self.digits(byteCount, 11), in: Field.size)
    }
    put(Self.digits(modifiedAt, 11), in: Field.modifiedAt)
    put([UInt8(ascii: "0")], in: Field.type)
    put("ustar\u{0}00".utf8, in: Field.magic)
    put("        ".utf8, in: Field.checksum)
    let sum = header.reduce(Int64(0)) { $0 + Int64($1) }
    put(Self.digits(sum, 6) + [0, UInt8(ascii: " ")], in: Field.checksum)
    return header
  }

  private enum Field {
    static let name = 0..<100
    static let mode = 100..<108
    static let user = 108..<116
    static let group = 116..<124
    static let size = 124..<136
    static let modifiedAt = 136..<148
    static let checksum = 148..<156
    static let type = 156..<157
    static let magic = 257..<265
    static let major = 329..<337
    static let minor = 337..<345
  }

  /// The lowest octal digits of a number.
  private static func digits(_ number: Int64, _ count: Int64) -> [UInt8] {
    (0..<count).reversed().map { UInt8(ascii: "0") + UInt8(truncatingIfNeeded: (number >> (3 * $0)) & 7) }
  }

  private static func size(_ field: ArraySlice<UInt8>) -> Int64? {
    guard field.first == 0x80 else { return number(field.dropLast()) }
    let number = field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int64(exactly: number)
  }

  /// - Parameter digits: at most 21, so that nothing overflows.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }) else { return nil }
    return digits.reduce(Int64(0)) { $0 << 3 | Int64($1 & 7) }
  }
}
