import HTTPMessages
import Platform

/// A request on its way to its endpoint: its parameters, whether all are there, and the method that a form asks for.
/// RequestParameters.swift converts single ones, and Authentication.swift checks the credentials.
struct Call: Sendable {
  let request: Request
  let client: Client
  /// The segment that stands for `:id` in the path.
  let id: ArraySlice<UInt8>?
  /// Parses a body or a query that would hold up the event loop.
  let parsing: WorkerPool
  /// Takes what is found in the body; nil on a server without a journal.
  let notes: BodyNotes?
  /// The parameters that the route asks for.
  private(set) var asked: [RouteParameter] = []
  /// The parameters, if they were read to find the method.
  private var known: Parameters?

  init(
    request: Request, client: Client, id: ArraySlice<UInt8>? = nil, parsing: WorkerPool, notes: BodyNotes? = nil
  ) {
    self.request = request
    self.client = client
    self.id = id
    self.parsing = parsing
    self.notes = notes
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

  private var requiredNames: [String] { asked.filter(\.isRequired).map(\.name) }

  /// - Parameter parts: what is wrong with parts of the body.
  /// - Throws: 400 unless all parameters that the route requires are there, and not null.
  func require(_ sent: Parameters, parts: [PartFinding] = []) throws {
    let missing = asked.filter { $0.isRequired && !sent[$0.name].isPresent }
    guard missing.isEmpty else {
      throw APIError.parametersMissing.detailed(otherType ?? finding(missing.map(\.name), in: sent, parts: parts))
    }
  }

  private func allParameters() async throws -> Parameters {
    if let known { return known }
    let query = try await queryParameters(requiring: requiredNames)
    return request.body.isEmpty ? query : try await bodyParameters().replaced(by: query)
  }

  /// - Parameter names: see `FormParameters.parse`.
  func queryParameters(requiring names: [String] = []) async throws -> Parameters {
    guard let query = request.head.query, !query.isEmpty else { return Parameters() }
    return try await parse(bytes: query.count) { [request] in try request.queryParameters(requiring: names) }
  }

  /// The parameters in a body of JSON, a form or a multipart; none in a body of any other type.
  func bodyParameters() async throws -> Parameters {
    guard let notes else { return try await readBody() }
    do {
      let parameters = try await readBody()
      notes.note(parameters.values)
      return parameters
    } catch {
      notes.note(error)
      throw error
    }
  }

  private func readBody() async throws -> Parameters {
    let kind = try request.bodyKind()
    guard kind != .none else { return Parameters() }
    let bytes = try await request.body.collect(upTo: RequestLimits.maxParameterBytes)
    try request.body.hold(RequestLimits.memory(forParametersIn: bytes.count))
    return try await parse(bytes: bytes.count) { [requiredNames] in
      try kind.parameters(in: bytes, requiring: requiredNames)
    }
  }

  /// Parses a text of so many bytes, on the event loop if it is short.
  private func parse(
    bytes: Int, _ values: @escaping @Sendable () throws -> [String: ParameterValue]
  ) async throws -> Parameters {
    guard bytes > RequestLimits.maxBytesParsedOnLoop else { return Parameters(try values()) }
    return try await parsing.runUnlessCancelled { Parameters(try values()) }
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
    known = form.replaced(by: try await queryParameters())
    return Method.override(in: form) ?? methodOfFields
  }

  /// The method that a POST asks for by the field X-HTTP-Method-Override.
  var methodOfFields: Method { request.head.fields[.methodOverride].map(Method.override(named:)) ?? .post }
}

// The method that a POST asks to be treated as (Rack's `MethodOverride`).
extension Method {
  /// By the member `_method` of a form; nil if there is none.
  static func override(in form: Parameters) -> Method? {
    guard case .string(let name)? = form["_method"] else { return nil }
    return override(named: Array(name.utf8)[...])
  }

  /// A name that rack does not know leaves the POST as it is. HEAD becomes a method that no route has: a response without
  /// a body is only valid if the request on the wire is a HEAD.
  static func override(named name: ArraySlice<UInt8>) -> Method {
    // A longer name is not known, and would take long to write in capitals.
    guard name.count <= "OPTIONS".utf8.count else { return .post }
    let method = Method(String(decoding: name, as: UTF8.self).uppercased())
    return switch method {
    case .get, .put, .delete, .options, .patch: method
    case .head: .other
    case .post, .trace, .connect, .other: .post
    }
  }
}
