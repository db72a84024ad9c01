import HTTPMessages

extension Request {
  func queryParameters() throws -> [String: ParameterValue] {
    guard let query = head.query, !query.isEmpty else { return [:] }
    return try FormParameters.parse(query: query)
  }

  /// The parameters in a body of JSON, a form or a multipart; none in a body of any other type.
  func bodyParameters() async throws -> [String: ParameterValue] {
    let limit = RequestLimits.maxParameterBytes
    return switch try BodyKind(contentType: head.fields[.contentType]) {
    case .json: try JSONReader.parameters(fromJSONBody: await body.collect(upTo: limit))
    case .form: try FormParameters.parse(body: await body.collect(upTo: limit)[...])
    case .multipart(let boundary): try MultipartForm.parse(await body.collect(upTo: limit), boundary: boundary)
    case .none: [:]
    }
  }
}

extension Parameters {
  /// A parameter that must be text.
  ///
  /// - Throws: 400 for a list, an object, a number or a file, and for a text with a NUL, at which some programs would
  ///   end it.
  func text(_ name: String) throws -> String {
    guard case .string(let text)? = self[name] else { throw APIError(.badRequest, "\(name) must be a string.") }
    guard !text.utf8.contains(0) else { throw APIError(.badRequest, "\(name) must not contain a NUL character.") }
    return text
  }

  /// A text to look something up by; nil for `true` and the empty object, which the original looked up and never found.
  func key(_ name: String) throws -> String? {
    switch self[name] {
    case .bool(true)?: return nil
    case .object(let members)? where members.isEmpty: return nil
    default: return try text(name)
    }
  }
}
