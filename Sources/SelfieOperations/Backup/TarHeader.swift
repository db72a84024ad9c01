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
  /// In Unix seconds.
  let modifiedAt: Int64

  init(name: String, byteCount: Int64, modifiedAt: Int64) {
    self.name = name
    self.byteCount = max(0, byteCount)
    self.modifiedAt = min(max(0, modifiedAt), Self.maxInDigits)
  }

  /// - Parameter block: 512 bytes. The result is nil unless this type would write the same.
  init?(_ block: [UInt8]) {
    guard block.count == Self.blockBytes else { return nil }
    let (name, size) = (block[..<100].prefix { $0 != 0 }, block[124..<136])
    let byteCount =
      size.first == 0x80 ? size.suffix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) } : Self.number(size.dropLast())
    guard name.allSatisfy({ (0x21...0x7e).contains($0) }), let byteCount, let modifiedAt = Self.number(block[136..<147])
    else { return nil }
    self.init(name: String(decoding: name, as: UTF8.self), byteCount: byteCount, modifiedAt: modifiedAt)
    guard bytes == block else { return nil }
  }

  /// How many zeros follow the contents.
  var padding: Int { (Self.blockBytes - Int(byteCount % Int64(Self.blockBytes))) % Self.blockBytes }

  var bytes: [UInt8] {
    let size =
      byteCount <= Self.maxInDigits
      ? Self.digits(byteCount, 12)
      : [0x80, 0, 0, 0] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: byteCount >> (8 * $0)) }
    // By the names of pax(1): name, mode, uid, gid, size and mtime.
    var beginning = Self.field(name, 100)
    beginning += Self.digits(0o600, 8)
    beginning += Self.digits(0, 8)
    beginning += Self.digits(0, 8)
    beginning += size
    beginning += Self.digits(modifiedAt, 12)
    // After chksum: typeflag (a plain file), linkname, magic, version, uname, gname, devmajor, devminor, prefix, and what
    // is left of the block.
    var rest = Self.field("0", 1)
    rest += Self.field("", 100)
    rest += Self.field("ustar", 6)
    rest += Array("00".utf8)
    rest += Self.field("", 32)
    rest += Self.field("", 32)
    rest += Self.digits(0, 8)
    rest += Self.digits(0, 8)
    rest += Self.field("", 155)
    rest += Self.field("", 12)
    // The sum is made with eight spaces in its own place.
    let sum = (beginning + rest).reduce(8 * 0x20) { $0 + Int64($1) }
    return beginning + Self.digits(sum, 7) + [UInt8(ascii: " ")] + rest
  }

  private static func field(_ text: String, _ count: Int) -> [UInt8] {
    let bytes = Array(text.utf8.prefix(count))
    return bytes + [UInt8](repeating: 0, count: count - bytes.count)
  }

  /// Octal digits, and the NUL that ends them.
  private static func digits(_ number: Int64, _ count: Int) -> [UInt8] {
    let digits = String(number, radix: 8)
    return field(String(repeating: "0", count: max(0, count - 1 - digits.utf8.count)) + digits, count)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    Int64(String(decoding: digits, as: UTF8.self), radix: 8)
  }
}
