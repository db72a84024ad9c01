import HTTPMessages
import Platform

// From a request to its response: finds its route, and calls the endpoint.
extension Application {
  /// Responds to a request. It throws nothing: every error becomes a response.
  public func respond(_ request: Request) async -> Response {
    if let response = respondAtOnce(request) { return response }
    return await respondWaiting(request)
  }

  /// Responds to a request without a wait; nil if that is not possible, and then nothing has been done yet.
  public func respondAtOnce(_ request: Request) -> Response? {
    let start = monotonicNanoseconds()
    guard let (resource, id) = target(of: request),
      let response = resource.route(for: request.head.method)?.immediateEndpoint?(self, request, id)
    else { return nil }
    return completed(response, id: identify(request, route: resource.pattern), start: start)
  }

  /// Responds to a request that could not be responded to at once.
  public func respondWaiting(_ request: Request) async -> Response {
    let start = monotonicNanoseconds()
    let response: Response
    let target = target(of: request)
    let id = identify(request, route: target?.resource.pattern)
    do {
      response = try await dispatch(request, to: target)
    } catch {
      response = self.response(to: error, of: request, as: errorFormat(of: request, target), requestID: id)
      // Clients that try again at once, on hundreds of connections, would take the processor from what others wait for.
      if Self.isRefusal(error) { try? await Task.sleep(for: refusalDelay) }
    }
    return completed(response, id: id, start: start)
  }

  /// The body of an error in the form of the app that has sent a request.
  package func errorJSON(_ status: Int, _ message: String, for request: Request) -> [UInt8] {
    errorFormat(of: request, target(of: request)).json(status, message)
  }

  /// The resource that a request is for; nil if no route has its path.
  func target(of request: Request) -> Target? {
    guard let path = RequestPath(request.head.path) else { return nil }
    for table in RouteTable.all where table.isServed(by: self) {
      if let target = table.find(path) { return target }
    }
    return nil
  }

  /// The format of errors. At a path that has no resource it depends on the first segment: an app that
  /// asks for `/notes/1/edit` expects the errors of `/notes/1`.
  func errorFormat(of request: Request, _ target: Target?) -> ErrorFormat {
    if let target { return target.resource.errorFormat }
    let first = request.head.path.split(separator: UInt8(ascii: "/"), maxSplits: 1).first ?? []
    let name = Array(first.prefix { $0 != UInt8(ascii: ".") })
    return RouteTable.all.first { $0.isServed(by: self) && $0.firstSegments.contains(name) }?.errorFormat ?? .selfie
  }

  /// A resource, and the segment that stands for `:id` in the path.
  typealias Target = (resource: Resource, id: ArraySlice<UInt8>?)

  /// Finds the endpoint of a request and calls it.
  func dispatch(_ request: Request, to target: Target?) async throws -> Response {
    guard let (resource, id) = target else { return try Self.withoutResource(request) }
    var call = Call(request: request, id: id, parsing: parsing)
    var method = request.head.method
    var credential: (any Sendable)?
    if method == .post {
      // Rack's `MethodOverride`. A form that may hold `_method` is read only if the client has the credential of the
      // address, so that strangers cannot make the server hold their bodies.
      if let find = resource.credential, !resource.options.contains(.readsBody), try call.hasForm {
        credential = try await find(self, request)
        method = try await call.methodOfForm()
      } else {
        method = call.methodOfFields
      }
    }
    if let route = resource.route(for: method) {
      guard let activity = route.activity else { return try await route.endpoint(self, call, credential) }
      return try await count(activity) { [call, credential] in try await route.endpoint(self, call, credential) }
    }
    guard method == .options, !resource.options.contains(.withoutOptions) else { throw APIError.notFound }
    return Self.options(resource.allow)
  }

  private static func withoutResource(_ request: Request) throws -> Response {
    // `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7).
    guard request.head.method == .options, request.head.path.elementsEqual("*".utf8) else { throw APIError.notFound }
    return options("DELETE, GET, HEAD, OPTIONS, POST")
  }

  private static func options(_ methods: String) -> Response {
    var fields = ResponseFields()
    fields.append("Allow", methods)
    fields.append("Cache-Control", "no-cache" as StaticString)
    return Response(status: .noContent, fields: fields)
  }
}
