import HTTPMessages
import Platform

/// A request on its way to its endpoint.
struct Call: Sendable {
  let request: Request
  /// The segment that stands for `:id` in the path.
  let id: ArraySlice<UInt8>?
  private let parsing: WorkerPool
  /// The parameters, if they were read to find the method.
  private var known: Parameters?

  /// - Parameter parsing: parses a long body.
  init(request: Request, id: ArraySlice<UInt8>? = nil, parsing: WorkerPool) {
    self.request = request
    self.id = id
    self.parsing = parsing
  }

  /// The parameters of the request, whatever form they come in (see `Parameters` for their precedence).
  ///
  /// - Throws: 400 for what cannot be read, 413 for what is too much.
  func parameters() async throws -> Parameters {
    if let known { return known }
    let query = try request.queryParameters()
    guard !request.body.isEmpty else { return Parameters(query: query) }
    return Parameters(query: query, body: try await bodyParameters())
  }

  /// The parameters in a body of JSON, a form or a multipart; none in a body of any other type.
  func bodyParameters() async throws -> [String: ParameterValue] {
    try await request.bodyParameters(on: parsing)
  }

  /// The method after Rack's `MethodOverride`: a POST may ask for another method by `_method` in a form or multipart
  /// body, or else by the field X-HTTP-Method-Override.
  ///
  /// - Parameter readsForm: whether to look into the body.
  mutating func effectiveMethod(readsForm: Bool) async throws -> Method {
    guard request.head.method == .post else { return request.head.method }
    if readsForm, !request.body.isEmpty {
      switch try BodyKind(contentType: request.head.fields[.contentType]) {
      case .form, .multipart:
        let form = try await bodyParameters()
        known = Parameters(query: try request.queryParameters(), body: form)
        if let override = MethodOverride(form: form) { return override.method }
      case .json, .none: break
      }
    }
    return MethodOverride(header: request)?.method ?? .post
  }
}
