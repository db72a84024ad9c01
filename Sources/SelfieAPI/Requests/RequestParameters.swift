package import HTTPMessages
import Platform

// Reads and converts the parameters of a request. `Call` checks that none is missing, and `Parameters` in HTTPMessages
// has the values.
extension Request {
  /// - Parameter names: see `FormParameters.parse`.
  func queryParameters(requiring names: [String] = []) throws -> [String: ParameterValue] {
    guard let query = head.query, !query.isEmpty else { return [:] }
    return try FormParameters.parse(query: query, requiring: names)
  }

  /// Whether the query may be parsed on the event loop.
  var hasShortQuery: Bool { head.query.map { $0.count <= RequestLimits.maxBytesParsedOnLoop } ?? true }

  /// How to read the body; asked before any of it is read.
  ///
  /// - Throws: 415 for a content coding (RFC 9110 §15.5.16).
  func bodyKind() throws -> BodyKind {
    var coding: ArraySlice<UInt8> = []
    let isCoded = head.fields.hasElement(.contentEncoding) { element in
      coding = element.prefix(Self.maxShownCoding)
      return !element.equalsIgnoringCase("identity")
    }
    guard !isCoded || body.isEmpty else {
      throw APIError(
        .unsupportedMediaType,
        "The body has the Content-Encoding \(String(printable: Array(coding))). Send it without a Content-Encoding.")
    }
    return try BodyKind(contentType: head.fields[.contentType])
  }

  /// The parameters in the bytes of its body, as endpoints find them.
  package func parameters(in body: [UInt8]) throws -> [String: ParameterValue] {
    try bodyKind().parameters(in: body, requiring: [])
  }

  /// Bytes of a coding that the message about it shows.
  private static var maxShownCoding: Int { 64 }
}

extension BodyKind {
  func parameters(in bytes: [UInt8], requiring names: [String]) throws -> [String: ParameterValue] {
    switch self {
    case .json: try JSONReader.parameters(fromJSONBody: bytes)
    case .form: try FormParameters.parse(body: bytes[...], requiring: names)
    case .multipart(let boundary): try MultipartForm.parse(bytes, boundary: boundary)
    case .none: [:]
    }
  }
}

extension APIError {
  static func undecodable(_ name: String) -> APIError {
    APIError(.badRequest, "The multipart field \(name) is not valid UTF-8.")
  }
}

extension Parameters {
  /// A parameter that must be text.
  ///
  /// - Throws: 400 for a list, an object, a number or a file, and for a text with a NUL, at which some programs would
  ///   end it; 413 for a text that would take long to look at.
  func text(_ name: String) throws -> String {
    if self[name] == .undecodable { throw APIError.undecodable(name) }
    guard case .string(let text)? = self[name] else {
      throw APIError(
        .badRequest, "\(name) must be a string.", detail: self[name].map { "\(name) is \($0.kind); expected a string" }
      )
    }
    guard text.utf8.count <= RequestLimits.maxTextBytes else {
      throw APIError(.contentTooLarge, "\(name) is longer than \(RequestLimits.maxTextBytes) bytes.")
    }
    guard !text.hasNUL else { throw APIError(.badRequest, "\(name) must not contain a NUL character.") }
    return text
  }

  /// A parameter that must be text if it is sent.
  ///
  /// - Throws: as `text`.
  func optionalText(_ name: String) throws -> String? {
    self[name] == nil ? nil : try text(name)
  }

  /// A text to look something up by; nil for `true` and the empty object, which the original looked up and never found,
  /// and for a text that no column holds.
  func key(_ name: String) throws -> String? {
    switch self[name] {
    case .bool(true)?: return nil
    case .object(let members)? where members.isEmpty: return nil
    default:
      let text = try text(name)
      return text.utf8.count <= RequestLimits.maxKeyBytes ? text : nil
    }
  }
}
