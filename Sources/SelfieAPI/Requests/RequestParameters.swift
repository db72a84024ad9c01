import HTTPMessages

extension Application {
  /// The parameters of a request, whatever form they come in (see `Parameters` for their precedence).
  ///
  /// - Throws: 400 for what cannot be read, 413 for what is too much.
  func parameters(of call: Call) async throws -> Parameters {
    if let parameters = call.parameters { return parameters }
    let query = try queryParameters(of: call.request)
    guard !call.request.body.isEmpty else { return Parameters(query: query) }
    return Parameters(query: query, body: try await bodyParameters(of: call.request))
  }

  /// The parameters in a body of JSON, a form or a multipart; none in a body of any other type.
  func bodyParameters(of request: Request) async throws -> [String: ParameterValue] {
    switch try BodyKind(contentType: request.head.fields[.contentType]) {
    case .json:
      try JSONReader.parameters(fromJSONBody: await request.body.collect(upTo: RequestLimits.parameters))
    case .form:
      try FormParameters.parse(body: await request.body.collect(upTo: RequestLimits.parameters)[...])
    case .multipart(let boundary):
      try Self.multipart(await request.body.collect(upTo: RequestLimits.parameters), boundary: boundary)
    case .none: [:]
    }
  }

  func queryParameters(of request: Request) throws -> [String: ParameterValue] {
    guard let query = request.head.query, !query.isEmpty else { return [:] }
    return try FormParameters.parse(query: query)
  }

  private static func multipart(_ bytes: [UInt8], boundary: [UInt8]) throws -> [String: ParameterValue] {
    var parser = MultipartParser(boundary: boundary)
    var form = MultipartForm()
    parser.append(bytes)
    while true {
      switch try parser.next() {
      case .part(let head): form.begin(head)
      case .data(let data): try form.append(data)
      case .partEnd: try form.end()
      case .needsMore:
        try parser.finish()
        return form.values
      case .end: return form.values
      }
    }
  }
}

extension Parameters {
  /// A parameter that must be text.
  ///
  /// - Throws: 400 for a list, an object, a number or a file, and for a text with a NUL, which not
  ///   every program that it may come to reads to its end.
  func text(_ name: String) throws -> String {
    guard case .string(let text)? = self[name] else { throw Self.notText(name) }
    guard !text.utf8.contains(0) else { throw APIError(.badRequest, "\(name) must not contain a NUL character.") }
    return text
  }

  /// A text that something is looked up by; nil for what the original compared with everything and
  /// found nowhere: true, and the empty object.
  func key(_ name: String) throws -> String? {
    switch self[name] {
    case .bool(true)?: return nil
    case .object(let members)? where members.isEmpty: return nil
    default: return try text(name)
    }
  }

  static func notText(_ name: String) -> APIError {
    APIError(.badRequest, "\(name) must be a string.")
  }
}
