import HTTPMessages
import Platform

/// A request on its way to its endpoint. RequestParameters.swift reads its parameters, and Authentication.swift checks
/// its credentials.
struct Call: Sendable {
  let request: Request
  let client: Client
  /// The segment that stands for `:id` in the path.
  let id: ArraySlice<UInt8>?
  /// Parses a body that would hold up the event loop.
  let parsing: WorkerPool
  /// The parameters that the route asks for.
  private(set) var asked: [RouteParameter] = []
  /// The parameters, if they were read to find the method.
  private var known: Parameters?

  init(request: Request, client: Client, id: ArraySlice<UInt8>? = nil, parsing: WorkerPool) {
    self.request = request
    self.client = client
    self.id = id
    self.parsing = parsing
  }

  func asking(for parameters: [RouteParameter]) -> Call {
    var call = self
    call.asked = parameters
    return call
  }

  /// The parameters of the request, whatever form they come in (see `Parameters` for their precedence).
  ///
  /// - Throws: 400 for what cannot be read, and unless all that are required are there; 413 for what is too much.
  func parameters() async throws -> Parameters {
    let parameters = try await allParameters()
    try require(parameters)
    return parameters
  }

  private func allParameters() async throws -> Parameters {
    if let known { return known }
    let query = try request.queryParameters()
    guard !request.body.isEmpty else { return Parameters(query: query) }
    return Parameters(query: query, body: try await bodyParameters())
  }

  /// The parameters in a body of JSON, a form or a multipart; none in a body of any other type.
  func bodyParameters() async throws -> [String: ParameterValue] {
    let kind = try request.bodyKind()
    guard kind != .none else { return [:] }
    let bytes = try await request.body.collect(upTo: RequestLimits.maxParameterBytes)
    try request.body.hold(RequestLimits.memory(forParametersIn: bytes.count))
    guard bytes.count > RequestLimits.maxBytesParsedOnLoop else { return try kind.parameters(in: bytes) }
    return try await parsing.runUnlessCancelled { try kind.parameters(in: bytes) }
  }

  /// Whether there is a form or multipart body, in which a POST may ask for another method.
  var hasForm: Bool {
    get throws {
      guard !request.body.isEmpty else { return false }
      return switch try request.bodyKind() {
      case .form, .multipart: true
      case .json, .none: false
      }
    }
  }

  /// The method that a POST asks for by `_method` in its form, or else by its header fields.
  mutating func methodOfForm() async throws -> Method {
    let form = try await bodyParameters()
    known = Parameters(query: try request.queryParameters(), body: form)
    return Method.override(in: form) ?? methodOfFields
  }

  /// The method that a POST asks for by the field X-HTTP-Method-Override.
  var methodOfFields: Method { request.head.fields[.methodOverride].map(Method.override(named:)) ?? .post }
}
