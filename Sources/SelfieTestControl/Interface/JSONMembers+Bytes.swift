import Cryptography
import HTTPMessages
import Platform

extension JSONMembers {
  /// The bytes of hexadecimal digits.
  func hex(_ name: String) throws -> [UInt8]? {
    guard let text = try text(name) else { return nil }
    guard let bytes = Hex.decode(text.utf8) else {
      throw wrong(name, "must be of hexadecimal digits, two for each byte")
    }
    return bytes
  }

  /// The bytes of base64 (RFC 4648 §4), with or without line breaks and padding.
  func base64(_ name: String) throws -> [UInt8]? {
    guard let text = try text(name) else { return nil }
    let isBase64 = text.utf8.allSatisfy { byte in
      byte.isASCIIAlphanumeric || "+/=\r\n".utf8.contains(byte)
    }
    guard isBase64 else { throw wrong(name, "must be base64: letters, digits, + and /, and = at its end") }
    return Base64.decodeLeniently(text.utf8)
  }
}
