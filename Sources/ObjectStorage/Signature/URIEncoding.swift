import Cryptography
import Platform

extension String {
  /// Percent-encoding as AWS Signature Version 4 demands it: all but the unreserved characters of RFC 3986, in upper
  /// case. S3 keeps the slashes of a path.
  func uriEncoded(keepsSlashes: Bool = false) -> String {
    var encoded: [UInt8] = []
    for byte in utf8 {
      let isKept = byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte) || keepsSlashes && byte == UInt8(ascii: "/")
      encoded += isKept ? [byte] : Array("%\(Digest.hex([byte]).uppercased())".utf8)
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
