import Cryptography
import Platform

// Percent-encodes texts for the URLs and the signatures of S3. PercentEncoding.swift in HTTPMessages decodes.
extension String {
  /// Percent-encoding as AWS Signature Version 4 demands it: all but the unreserved characters of RFC 3986, in upper
  /// case. S3 keeps the slashes of a path.
  func uriEncoded(keepsSlashes: Bool = false) -> String {
    utf8.map { byte in
      let isKept = byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte) || keepsSlashes && byte == UInt8(ascii: "/")
      return isKept ? String(UnicodeScalar(byte)) : "%" + Digest.hex([byte]).uppercased()
    }.joined()
  }
}
