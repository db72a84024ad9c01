import Foundation
import Platform

extension Array<UInt8> {
  /// The bytes of a text whose characters stand for one byte each: `"\u{0}"`, `"\u{ff}"`.
  init(latin1 text: String) {
    self = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  /// Bytes that show when some of them are lost, doubled or out of order.
  init(patternOf count: Int) {
    // A prime, so that no buffer size is a multiple of the period.
    let period = (0..<4_093).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    self = []
    reserveCapacity(count)
    while self.count < count { append(contentsOf: period.prefix(count - self.count)) }
  }

  /// How a test's table shows bytes: what is not printable, escaped.
  var escaped: String {
    prefix(120).map { byte in
      switch byte {
      case 0x0d: "\\r"
      case 0x0a: "\\n"
      case 0x20..<0x7f: String(UnicodeScalar(byte))
      default: "\\x" + String(byte, radix: 16)
      }
    }.joined()
  }
}

extension OpenFile {
  /// A file that is gone from the file system but open.
  static func temporary(_ bytes: [UInt8]) throws -> OpenFile {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try Data(bytes).write(to: URL(filePath: path))
    defer { unlink(path) }
    return OpenFile(owning: open(path, O_RDONLY | O_CLOEXEC))
  }
}
