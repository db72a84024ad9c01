package import HTTPMessages
import Platform
import SQLite

// From a request to its response: finds its route, calls the endpoint, and adds what all responses have. Routes.swift
// lists the routes, and ErrorResponses.swift turns errors into responses.
extension Application {
  /// Responds to a request. It throws nothing: every error becomes a response.
  package func respond(_ request: Request) async -> Response { await reply(to: request).response }

  /// Responds to a request that has a body.
  ///
  /// - Parameter notes: takes what is found in the body.
  package func respond(_ request: Request, noting notes: BodyNotes) async -> Response {
    await respond(to: request, for: target(of: request), since: monotonicNanoseconds(), noting: notes)
  }

  /// Begins to respond to a request, and responds at once if there is no need to wait.
  package func reply(to request: Request) -> Reply {
    let start = monotonicNanoseconds()
    let target = target(of: request)
    if let target,
      let response = target.resource.route(for: request.head.method)?.immediateEndpoint?(self, request, target.id)
    {
      return .now(completed(response, id: identify(request, route: target.resource.pattern), start: start))
    }
    return .later { [self] in await respond(to: request, for: target, since: start) }
  }

  private func respond(
    to request: Request, for target: RouteTarget?, since start: Int64, noting notes: BodyNotes? = nil
  ) async -> Response {
    let response: Response
    let client = Client(of: request, trusting: settings.trustedProxies)
    let id = identify(request, route: target?.resource.pattern, client: client)
    do {
      response = try await dispatch(request, from: client, to: target, noting: notes)
    } catch {
      let refusal = explained(
        refusal(for: error, requestID: id).detailed(request.finding(aboutCutBody: error)), of: request, at: target)
      request.context?.note { $0.errorDetail = refusal.detailLine }
      let page = target == nil ? await page(insteadOf: refusal, for: request) : nil
      response = page ?? refusal.response(to: request, as: errorFormat(of: request, target))
      // Clients that try again at once, on hundreds of connections, would take the processor from what others wait for.
      if APIError.asksForPatience(error) { try? await Task.sleep(for: refusalDelay) }
    }
    return completed(response, id: id, start: start)
  }

  /// The body of an error in the form of the app that has sent a request.
  package func errorJSON(_ status: Int, _ message: String, for request: Request) -> [UInt8] {
    errorFormat(of: request, target(of: request)).json(status, message)
  }

  /// The resource that a request is for; nil if no route has its path.
  func target(of request: Request) -> RouteTarget? {
    guard let path = RequestPath(request.head.path) else { return nil }
    for table in RouteTable.all {
      if let target = table.find(path), table.isServed(by: self) { return target }
    }
    return nil
  }

  /// The format of errors. At a path that has no resource it depends on the first segment: an app that
  /// asks for `/notes/1/edit` expects the errors of `/notes/1`.
  func errorFormat(of request: Request, _ target: RouteTarget?) -> ErrorFormat {
    if let target { return target.resource.errorFormat }
    let first = request.head.path.split(separator: UInt8(ascii: "/"), maxSplits: 1).first ?? []
    let name = Array(first.prefix { $0 != UInt8(ascii: ".") })
    return RouteTable.all.first { $0.isServed(by: self) && $0.firstSegments.contains(name) }?.errorFormat ?? .selfie
  }

  /// Finds the endpoint of a request and calls it.
  private func dispatch(
    _ request: Request, from client: Client, to target: RouteTarget?, noting notes: BodyNotes?
  ) async throws -> Response {
    if request.head.isPreflight { return Self.refusedPreflight(request, at: target) }
    guard let target else { return try withoutResource(request) }
    let resource = target.resource
    let call = Call(request: request, client: client, id: target.id, parsing: parsing, notes: notes)
    guard request.head.method == .post else {
      return try await run(request.head.method, of: resource, with: call)
    }
    if let route = resource.routeOfForms, try call.hasForm { return try await run(route, with: call, formOf: resource) }
    return try await run(call.methodOfFields, of: resource, with: call)
  }

  /// Calls the endpoint of a method.
  func run(_ method: Method, of resource: Resource, with call: Call) async throws -> Response {
    if let route = resource.route(for: method) { return try await run(route, with: call) }
    guard method == .options, !resource.options.contains(.withoutOptions) else {
      throw resource.notFound(call.request.head.name(of: method))
    }
    return Self.options(resource.allow)
  }

  /// Calls the endpoint of a route, and counts how it ends.
  private func run(_ route: Route, with call: Call, formOf resource: Resource? = nil) async throws -> Response {
    guard let kind = route.activity else { return try await route.run(self, call, resource) }
    do {
      let response = try await route.run(self, call, resource)
      activity.count(kind, .succeeded)
      return response
    } catch {
      activity.count(kind, ActivityCounters.Outcome(of: error))
      throw error
    }
  }

  private func withoutResource(_ request: Request) throws -> Response {
    // `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7).
    guard request.head.method == .options, request.head.path.elementsEqual("*".utf8) else { throw notFound(request) }
    return Self.options(Self.allMethods)
  }

  /// The response to a preflight that `CORS` did not allow. It has the status of other OPTIONS: a proxy that allows the
  /// page's origin by itself needs a success.
  private static func refusedPreflight(_ request: Request, at target: RouteTarget?) -> Response {
    let detail = request.head.findingAboutPreflight.asDetailLine
    request.context?.note { ($0.route, $0.errorDetail) = ("preflight", detail) }
    var response = options(target?.resource.allow ?? allMethods)
    response.fields.append("X-Error-Detail", detail)
    return response
  }

  private static let allMethods = "DELETE, GET, HEAD, OPTIONS, POST"

  private static func options(_ methods: String) -> Response {
    var fields = ResponseFields()
    fields.append("Allow", methods)
    fields.append("Cache-Control", "no-cache" as StaticString)
    return Response(status: .noContent, fields: fields)
  }

  // MARK: - Around every response

  /// Adds the fields that all responses have.
  func completed(_ response: consuming Response, id: [UInt8], start: Int64) -> Response {
    response.fields.append(lines: Self.commonFields)
    response.fields.append("X-Request-Id", id)
    response.fields.append("X-Runtime", Self.seconds(since: start))
    return response
  }

  /// Seconds with six fraction digits.
  private static func seconds(since start: Int64) -> [UInt8] {
    let microseconds = UInt64(clamping: monotonicNanoseconds() &- start) / 1000
    var text = ByteBuffer(capacity: 16)
    text.append(decimal: microseconds / 1_000_000)
    text.append(UInt8(ascii: "."))
    text.append(decimal: microseconds % 1_000_000, width: 6)
    return text.bytes
  }

  /// Returns the id of a request, and records route, trace id and client for the log and the metrics.
  ///
  /// - Parameter client: of the request, if it is known already.
  package func identify(_ request: Request, route: StaticString?, client: Client? = nil) -> [UInt8] {
    let id = requestIDs.id(for: request)
    request.context?.note { facts in
      facts.route = route ?? facts.route
      facts.requestID = RequestIDs.logged(id)
      facts.traceID = request.traceID
      guard !settings.trustedProxies.isEmpty else { return }
      facts.client = (client ?? Client(of: request, trusting: settings.trustedProxies)).address
    }
    return id
  }

  /// What is known about a request that is refused, whether or not the exchange is recorded. Without a record, its user
  /// is not known.
  package func facts(of request: RefusedRequest) -> RequestContext.Facts {
    var facts = (request.context ?? RequestContext()).facts
    guard facts.route == nil, let head = request.head else { return facts }
    let read = Request(head: head, body: .none, peer: request.peer)
    facts.route = head.isPreflight ? "preflight" : target(of: read)?.resource.pattern
    facts.client = facts.client ?? Client(of: read, trusting: settings.trustedProxies).address
    return facts
  }

  /// The response to a request that the server has refused before the application could see it.
  package func refuse(_ status: Status, _ message: String, _ request: RefusedRequest? = nil) -> Response {
    let isBusy = status == .serviceUnavailable
    // The path is not known here, so the client may be any of the apps. The form for Notes has the Selfie app's too.
    let refusal = APIError(status, message, reason: isBusy ? .busy : nil)
    let response = refusal.response(as: settings.families.contains(.notes) ? .notes : .selfie)
    let id = requestIDs.next()
    request?.context?.note { ($0.requestID, $0.errorDetail) = (id, refusal.detailLine) }
    return completed(response, id: id, start: monotonicNanoseconds())
  }

  /// Rails sent these with every response.
  private static let commonFields = Array(
    "X-Frame-Options: SAMEORIGIN\r\nX-XSS-Protection: 1; mode=block\r\nX-Content-Type-Options: nosniff\r\n".utf8)

  /// Ends the database snapshot that the requests of an event loop's turn have shared.
  package func endOfTurn() {
    database.file?.endSnapshot()
  }
}
