import Cryptography
import HTTPMessages

extension JSONMembers {
  /// The bytes of hexadecimal digits.
  func hex(_ name: String) throws -> [UInt8]? {
    guard let text = try text(name) else { return nil }
    let digits = text.utf8.map(PercentEncoding.hexValue)
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard index + 1 < digits.count, let high = digits[index], let low = digits[index + 1] else {
        throw wrong(name, "must be of hexadecimal digits, two for each byte")
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The bytes of base64 (RFC 4648 §4), with or without line breaks and padding.
  func base64(_ name: String) throws -> [UInt8]? {
    guard let text = try text(name) else { return nil }
    let isBase64 = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="),
        UInt8(ascii: "\r"), UInt8(ascii: "\n"):
        true
      default: false
      }
    }
    guard isBase64 else { throw wrong(name, "must be base64: letters, digits, + and /, and = at its end") }
    return Base64.decodeLeniently(text.utf8)
  }
}
