import Platform

/// How the body of a request is to be read, from its Content-Type. RequestParameters.swift in SelfieAPI calls the
/// parser for each kind. The type of a photo is a `ContentType` there.
package enum BodyKind: Sendable, Equatable {
  /// `application/json`, `text/x-json` or `application/jsonrequest`.
  case json
  /// `application/x-www-form-urlencoded`.
  case form
  /// `multipart/form-data`, `multipart/mixed` or `multipart/related`.
  case multipart(boundary: [UInt8])
  /// No parameters in it: another type, or none.
  case none

  /// Reads a Content-Type value; nil is the absent header. Parameters other than the boundary do not count.
  ///
  /// Throws for a multipart type whose boundary is missing, given twice or longer than RFC 2046 allows.
  package init(contentType: ArraySlice<UInt8>?) throws(ParameterError) {
    let value = contentType?.trimmed ?? []
    // Rails 4.1.5 took a comma for the end of the type, too.
    let type = value.prefix { !$0.isBlank && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
    if Self.jsonTypes.contains(where: type.equalsIgnoringCase) {
      self = .json
    } else if type.equalsIgnoringCase("application/x-www-form-urlencoded") {
      self = .form
    } else if Self.multipartTypes.contains(where: type.equalsIgnoringCase) {
      let parameters = try FieldParameters(value[type.endIndex...], of: "Content-Type")
      self = .multipart(boundary: try Self.checked(parameters["boundary".utf8] ?? []))
    } else {
      self = .none
    }
  }

  private static let jsonTypes: [StaticString] = ["application/json", "text/x-json", "application/jsonrequest"]
  private static let multipartTypes: [StaticString] = ["multipart/form-data", "multipart/mixed", "multipart/related"]

  private static func checked(_ boundary: ArraySlice<UInt8>) throws(ParameterError) -> [UInt8] {
    guard !boundary.isEmpty else {
      throw ParameterError(
        message: "Content-Type names no boundary. Let the HTTP client set Content-Type: it knows the boundary of the "
          + "body that it makes.")
    }
    guard boundary.count <= MultipartParser.maxBoundary else {
      throw ParameterError(
        message: "The multipart boundary is too long: at most \(MultipartParser.maxBoundary) characters.")
    }
    return Array(boundary)
  }
}
