import Platform

/// Percent-encoding as AWS Signature Version 4 demands it: all but the unreserved characters of RFC 3986, in upper case.
enum URIEncoding {
  /// A name or a value of a query.
  static func encode(_ text: String) -> String {
    encode(text.utf8, keepsSlashes: false)
  }

  /// A path. S3 keeps its slashes, and a signature has it encoded once and not normalized.
  static func encodePath(_ bytes: some Sequence<UInt8>) -> String {
    encode(bytes, keepsSlashes: true)
  }

  private static func encode(_ bytes: some Sequence<UInt8>, keepsSlashes: Bool) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      if byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte) || keepsSlashes && byte == UInt8(ascii: "/") {
        text.append(byte)
      } else {
        text.append(UInt8(ascii: "%"))
        text += String(decoding: Hex.encode([byte]), as: UTF8.self).uppercased().utf8
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
