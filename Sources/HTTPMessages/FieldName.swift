/// The name of a header field, in lower case: names are compared without regard to case (RFC 9110 §5.1). `Fields` finds
/// the fields of this name.
package struct FieldName: Sendable {
  let bytes: StaticString

  /// - Parameter lowercase: a name that is a token (RFC 9110 §5.6.2), its letters in lower case.
  package init(_ lowercase: StaticString) {
    bytes = lowercase
  }

  /// Whether `candidate`, in any case, is this name.
  @inline(__always)
  func matches(_ candidate: Span<UInt8>) -> Bool {
    guard candidate.count == bytes.utf8CodeUnitCount else { return false }
    return bytes.withUTF8Buffer { name in
      for index in 0..<name.count {
        // `| 0x20` also makes a few characters equal that are not letters, but no name asked for contains them.
        guard candidate[index] | 0x20 == name[index] else { return false }
      }
      return true
    }
  }
}

extension FieldName {
  package static let accept = FieldName("accept")
  package static let acceptEncoding = FieldName("accept-encoding")
  package static let authorization = FieldName("authorization")
  package static let connection = FieldName("connection")
  package static let contentEncoding = FieldName("content-encoding")
  package static let contentLength = FieldName("content-length")
  package static let cookie = FieldName("cookie")
  package static let contentType = FieldName("content-type")
  package static let expect = FieldName("expect")
  package static let forwarded = FieldName("forwarded")
  package static let host = FieldName("host")
  package static let ifMatch = FieldName("if-match")
  package static let ifModifiedSince = FieldName("if-modified-since")
  package static let ifNoneMatch = FieldName("if-none-match")
  package static let ifRange = FieldName("if-range")
  package static let ifUnmodifiedSince = FieldName("if-unmodified-since")
  package static let methodOverride = FieldName("x-http-method-override")
  /// RFC 6454 §7.
  package static let origin = FieldName("origin")
  package static let range = FieldName("range")
  package static let transferEncoding = FieldName("transfer-encoding")
  package static let xForwardedFor = FieldName("x-forwarded-for")
  package static let xForwardedProto = FieldName("x-forwarded-proto")
}
