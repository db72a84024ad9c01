/// The name of a header field, in lower case: names are compared without regard to case (RFC 9110 §5.1).
public struct FieldName: Sendable {
  let bytes: StaticString

  /// - Parameter lowercase: a name that is a token (RFC 9110 §5.6.2), its letters in lower case.
  public init(_ lowercase: StaticString) {
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
  public static let accept = FieldName("accept")
  public static let acceptEncoding = FieldName("accept-encoding")
  public static let authorization = FieldName("authorization")
  public static let connection = FieldName("connection")
  public static let contentEncoding = FieldName("content-encoding")
  public static let contentLength = FieldName("content-length")
  public static let cookie = FieldName("cookie")
  public static let contentType = FieldName("content-type")
  public static let expect = FieldName("expect")
  public static let forwarded = FieldName("forwarded")
  public static let host = FieldName("host")
  public static let ifMatch = FieldName("if-match")
  public static let ifModifiedSince = FieldName("if-modified-since")
  public static let ifNoneMatch = FieldName("if-none-match")
  public static let ifRange = FieldName("if-range")
  public static let ifUnmodifiedSince = FieldName("if-unmodified-since")
  public static let methodOverride = FieldName("x-http-method-override")
  /// RFC 6454 §7.
  public static let origin = FieldName("origin")
  public static let range = FieldName("range")
  public static let transferEncoding = FieldName("transfer-encoding")
  public static let xForwardedFor = FieldName("x-forwarded-for")
  public static let xForwardedProto = FieldName("x-forwarded-proto")
}
