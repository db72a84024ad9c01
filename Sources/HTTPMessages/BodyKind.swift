import Platform

/// How the body of a request is to be read, from its Content-Type, as Rails 4.1.5 and rack 1.5.2 decided it.
public enum BodyKind: Sendable, Equatable {
  /// `application/json`, `text/x-json` or `application/jsonrequest`.
  case json
  /// `application/x-www-form-urlencoded`.
  case form
  /// `multipart/form-data`, `multipart/mixed` or `multipart/related`, with a boundary.
  case multipart(boundary: [UInt8])
  /// No parameters in it: another type, none, or a multipart without a usable boundary (rack read that one as
  /// a form, in which no endpoint finds its parameters).
  case none

  /// Reads a Content-Type value; nil is the absent header. Parameters other than the boundary do not count.
  ///
  /// Throws for a multipart boundary longer than RFC 2046 allows.
  public init(contentType: ArraySlice<UInt8>?) throws(ParameterError) {
    guard let contentType else {
      self = .none
      return
    }
    let type = Self.mediaType(contentType)
    if Self.jsonTypes.contains(where: type.equalsIgnoringCase) {
      self = .json
    } else if type.equalsIgnoringCase("application/x-www-form-urlencoded") {
      self = .form
    } else if Self.multipartTypes.contains(where: type.equalsIgnoringCase) {
      let boundary = try MultipartParser.boundary(contentType: contentType)
      self = boundary.map { .multipart(boundary: $0) } ?? .none
    } else {
      self = .none
    }
  }

  private static let jsonTypes: [StaticString] = ["application/json", "text/x-json", "application/jsonrequest"]
  private static let multipartTypes: [StaticString] = ["multipart/form-data", "multipart/mixed", "multipart/related"]

  /// content_type.split(/\s*[;,]\s*/, 2).first.downcase
  private static func mediaType(_ contentType: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var type = contentType.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }.drop(while: \.isSpace)
    while let last = type.last, last.isSpace { type.removeLast() }
    return type
  }
}
