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
  /// As in rack, a comma may stand where a semicolon belongs (RFC 1867 §6), and between several types, which clients make
  /// that set the field twice: the first type counts.
  ///
  /// Throws for a multipart type whose boundary is missing, given twice or longer than RFC 2046 allows.
  package init(contentType: ArraySlice<UInt8>?) throws(ParameterError) {
    let value = contentType?.trimmed ?? []
    let type = Self.type(in: value)
    if Self.jsonTypes.contains(where: type.equalsIgnoringCase) {
      self = .json
    } else if type.equalsIgnoringCase("application/x-www-form-urlencoded") {
      self = .form
    } else if Self.multipartTypes.contains(where: type.equalsIgnoringCase) {
      self = .multipart(boundary: try Self.checked(Self.boundary(in: value)))
    } else {
      self = .none
    }
  }

  private static let jsonTypes: [StaticString] = ["application/json", "text/x-json", "application/jsonrequest"]
  private static let multipartTypes: [StaticString] = ["multipart/form-data", "multipart/mixed", "multipart/related"]

  private static func type(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.prefix { !$0.isBlank && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
  }

  /// The boundary that the elements of a list name; empty if none does.
  private static func boundary(in value: ArraySlice<UInt8>) throws(ParameterError) -> ArraySlice<UInt8> {
    var boundary: ArraySlice<UInt8>?
    for element in elements(of: value) {
      let type = type(in: element)
      let parameters = try FieldParameters(
        type.contains(UInt8(ascii: "/")) && !type.contains(UInt8(ascii: "="))
          ? element[type.endIndex...] : element, of: "Content-Type")
      guard let found = parameters["boundary".utf8] else { continue }
      guard boundary.map({ $0.elementsEqual(found) }) ?? true else {
        throw ParameterError(message: "Content-Type has the parameter \"boundary\" twice: send it once.")
      }
      boundary = found
    }
    return boundary ?? []
  }

  /// The texts between commas, which separate only before a type, a parameter or another comma, and at the end: a boundary
  /// without quotation marks may contain one.
  private static func elements(of value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var elements: [ArraySlice<UInt8>] = []
    var (start, isQuoted) = (value.startIndex, false)
    for index in value.indices {
      if value[index] == .quote { isQuoted.toggle() }
      guard value[index] == UInt8(ascii: ","), !isQuoted, isSeparator(before: value[(index + 1)...]) else { continue }
      elements.append(value[start..<index].trimmed)
      start = index + 1
    }
    return (elements + [value[start...].trimmed]).filter { !$0.isEmpty }
  }

  private static func isSeparator(before text: ArraySlice<UInt8>) -> Bool {
    let next = text.drop(while: \.isBlank)
    let end = next.firstIndex { ",;=/\"".utf8.contains($0) }
    return next.isEmpty
      || end.map { next[$0] != .quote && ($0 == next.startIndex || "=/".utf8.contains(next[$0])) } ?? false
  }

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
