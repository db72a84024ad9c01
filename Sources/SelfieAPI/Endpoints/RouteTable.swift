package import HTTPMessages

// The types of routes. Routes.swift lists the routes, and Respond.swift calls their endpoints.

/// A method of a path, the credential and the parameters that it asks for, and its endpoint.
///
/// A class, because each request looks for its route: a copy of all members would count four references.
final class Route: Sendable {
  /// Finds the credential, and calls the endpoint.
  ///
  /// If a resource is given, the request is a POST with a form, which may ask for another method of that.
  typealias Run = @Sendable (Application, Call, _ formOf: Resource?) async throws -> Response
  /// Returns the response to a request if there is no need to wait for it. Changes nothing.
  typealias ImmediateEndpoint = @Sendable (Application, Request, _ id: ArraySlice<UInt8>?) -> Response?

  struct Options: OptionSet {
    let rawValue: Int
    /// The GET changes something, so there is no HEAD.
    static let withoutHead = Options(rawValue: 1)
    /// OPTIONS is answered with 404.
    static let withoutOptions = Options(rawValue: 2)
    /// The endpoint reads the body itself, as a stream, and looks for `_method` in it.
    static let readsBody = Options(rawValue: 4)
  }

  let method: Method
  /// As Rails writes it: `:id` stands for any segment.
  let pattern: StaticString
  let parameters: [RouteParameter]
  let options: Options
  /// How the outcomes of the endpoint are counted; nil: not at all.
  let activity: ActivityCounters.Activity?
  /// The name of the credential; nil if anybody may send the request.
  let credential: String?
  let run: Run
  /// Is asked first; nil for most routes.
  let immediateEndpoint: ImmediateEndpoint?

  init<Value: Sendable>(
    _ method: Method, _ pattern: StaticString, _ credential: Credential<Value>, _ parameters: [RouteParameter] = [],
    options: Options = [], counts activity: ActivityCounters.Activity? = nil,
    atOnce immediateEndpoint: ImmediateEndpoint? = nil,
    endpoint: @escaping @Sendable (Application, Call, Value) async throws -> Response
  ) {
    self.method = method
    self.pattern = pattern
    self.parameters = parameters
    self.options = options
    self.activity = activity
    self.credential = credential.name
    self.immediateEndpoint = immediateEndpoint
    run = { application, call, resource in
      let found = try await credential.find(application, call)
      var call = call.asking(for: parameters)
      // Rack's `MethodOverride`. The form is read only now, so that strangers cannot make the server hold their bodies.
      if let resource {
        let asked = try await call.methodOfForm()
        if asked != method { return try await application.run(asked, of: resource, with: call) }
      }
      return try await endpoint(application, call, found)
    }
  }

  /// A route for anybody.
  convenience init(
    _ method: Method, _ pattern: StaticString, _ parameters: [RouteParameter] = [], options: Options = [],
    counts activity: ActivityCounters.Activity? = nil, atOnce immediateEndpoint: ImmediateEndpoint? = nil,
    endpoint: @escaping @Sendable (Application, Call) async throws -> Response
  ) {
    self.init(
      method, pattern, .none, parameters, options: options, counts: activity, atOnce: immediateEndpoint
    ) { application, call, _ in try await endpoint(application, call) }
  }

  /// `POST /api/signin`
  var title: String { "\(method.name) \(pattern)" }
}

/// Routes of one path.
final class Resource: Sendable {
  let pattern: StaticString
  let options: Route.Options
  let errorFormat: ErrorFormat
  /// The value of `Allow` (RFC 9110 §10.2.1).
  let allow: String
  let routes: [Route]
  /// The route that reads the form of a POST, in which it may ask for another method; nil if no form is read. All routes
  /// of a path ask for the same credential.
  let routeOfForms: Route?
  /// The last segment that is no `:id`, to be compared with a mistyped one.
  let word: String
  /// Nil for `:id`.
  private let segments: [[UInt8]?]
  /// Whether the last segment may end in `.format`.
  fileprivate let takesFormat: Bool
  /// The bytes of all segments; nil if one of them is `:id`.
  fileprivate let length: Int?

  fileprivate init(_ pattern: StaticString, _ routes: [Route], errors: ErrorFormat, takesFormat: Bool) {
    self.pattern = pattern
    self.takesFormat = takesFormat
    errorFormat = errors
    self.routes = routes
    options = routes.reduce([]) { $0.union($1.options) }
    let first = routes.first { $0.method == .post } ?? routes.first
    routeOfForms = first.flatMap { $0.credential != nil && !$0.options.contains(.readsBody) ? $0 : nil }
    segments = "\(pattern)".split(separator: "/").map { $0 == ":id" ? nil : Array($0.utf8) }
    word = Self.word(segments.last { $0 != nil }.flatMap(\.self) ?? [])
    length = segments.contains(nil) ? nil : segments.reduce(0) { $0 + ($1?.count ?? 0) }
    var methods = ["OPTIONS"] + routes.map { "\($0.method.name)" }
    if routes.contains(where: { $0.method == .get }) && !options.contains(.withoutHead) { methods.append("HEAD") }
    allow = methods.sorted().joined(separator: ", ")
  }

  /// Nil for the root.
  fileprivate var firstSegment: [UInt8]? { segments.first.flatMap(\.self) }

  func route(for method: Method) -> Route? {
    let method = method == .head && !options.contains(.withoutHead) ? .get : method
    return routes.first { $0.method == method }
  }

  /// - Parameter withoutFormat: ignores the format of the path's last segment.
  fileprivate func matches(_ path: RequestPath, withoutFormat: Bool) -> Bool {
    guard path.count == segments.count else { return false }
    for index in segments.indices.reversed() {
      guard let segment = segments[index] else { continue }
      let isLast = index == segments.count - 1
      guard path.segment(index, withoutFormat: withoutFormat && isLast).equals(segment) else { return false }
    }
    return true
  }

  /// The segment at the place of `:id`.
  fileprivate func id(in path: RequestPath) -> ArraySlice<UInt8>? {
    segments.firstIndex(of: nil).map { path.segment($0, withoutFormat: takesFormat && $0 == segments.count - 1) }
  }
}

/// The resource at a path, and the segment that stands for `:id`.
struct RouteTarget {
  let resource: Resource
  let id: ArraySlice<UInt8>?
}

/// The resources of one family of addresses. Every request is looked up here, so they are found by the length of the path
/// and then by its bytes, without an allocation and without a hash.
///
/// A class, as a route is.
package final class RouteTable: Sendable {
  let resources: [Resource]
  /// The index is the length of all segments.
  private let byLength: [[Resource]]
  /// The resources with `:id`.
  private let withID: [Resource]
  /// Nil: every server has it.
  private let family: APIFamily?
  let errorFormat: ErrorFormat
  /// The first segments of the table's paths, without a format.
  let firstSegments: Set<[UInt8]>

  /// - Parameters:
  ///   - errors: how errors of these routes are told.
  ///   - takesFormat: whether `.format` of any kind may stand after the last segment of a path.
  init(of family: APIFamily? = nil, errors: ErrorFormat = .selfie, takesFormat: Bool = false, _ routes: [Route]) {
    var resources: [Resource] = []
    for route in routes where !resources.contains(where: { "\($0.pattern)" == "\(route.pattern)" }) {
      let equal = routes.filter { "\($0.pattern)" == "\(route.pattern)" }
      resources.append(Resource(route.pattern, equal, errors: errors, takesFormat: takesFormat))
    }
    self.resources = resources
    self.family = family
    errorFormat = errors
    firstSegments = Set(resources.compactMap(\.firstSegment))
    withID = resources.filter { $0.length == nil }
    let maxLength = resources.compactMap(\.length).max() ?? 0
    byLength = (0...maxLength).map { length in resources.filter { $0.length == length } }
  }

  /// Whether the owner has not switched the family off.
  @inline(__always)
  func isServed(by application: Application) -> Bool {
    // Compared one by one: the hash of a family is that of its name.
    family.map { family in application.settings.families.contains { $0 == family } } ?? true
  }

  /// Nil if the table has no such path.
  func find(_ path: RequestPath) -> RouteTarget? {
    if let resource = find(path, path.length, withoutFormat: false) { return RouteTarget(resource: resource, id: nil) }
    if let length = path.lengthWithoutFormat, let resource = find(path, length, withoutFormat: true) {
      return RouteTarget(resource: resource, id: nil)
    }
    for resource in withID
    where resource.matches(path, withoutFormat: resource.takesFormat && path.lengthWithoutFormat != nil) {
      return RouteTarget(resource: resource, id: resource.id(in: path))
    }
    return nil
  }

  private func find(_ path: RequestPath, _ length: Int, withoutFormat: Bool) -> Resource? {
    guard length < byLength.count else { return nil }
    for resource in byLength[length] where !withoutFormat || resource.takesFormat {
      if resource.matches(path, withoutFormat: withoutFormat) { return resource }
    }
    return nil
  }

  /// Whether a request is for one of the table's paths, whatever its method.
  package func contains(_ request: Request) -> Bool {
    RequestPath(request.head.path).flatMap { find($0) } != nil
  }

  /// The segment that stands for `:id` in the path of a request; nil for a path without one.
  package func id(in request: Request) -> ArraySlice<UInt8>? {
    RequestPath(request.head.path).flatMap { find($0) }?.id
  }
}

/// The segments of a path, not decoded: Rails' router neither decodes `%5F` nor minds doubled and trailing slashes.
struct RequestPath {
  /// No route has more segments.
  private static let maxSegments = 4

  private let bytes: ArraySlice<UInt8>
  private var ranges = InlineArray<4, Range<Int>>(repeating: 0..<0)
  private(set) var count = 0
  /// The bytes of all segments.
  private(set) var length = 0
  /// The first dot of the last segment, if what follows it can be a format: it is not empty and has no dot itself.
  private var dot: Int?

  /// - Returns: nil for `*` and the like, and for a path that has more segments than any route.
  init?(_ path: ArraySlice<UInt8>) {
    guard path.first == UInt8(ascii: "/") else { return nil }
    bytes = path
    var index = path.startIndex
    while index < path.endIndex {
      guard path[index] != UInt8(ascii: "/") else {
        index += 1
        continue
      }
      guard count < Self.maxSegments else { return nil }
      let start = index
      while index < path.endIndex, path[index] != UInt8(ascii: "/") { index += 1 }
      ranges[count] = start..<index
      count += 1
      length += index - start
    }
    guard count > 0 else { return }
    let last = bytes[ranges[count - 1]]
    guard let first = last.firstIndex(of: UInt8(ascii: ".")), first + 1 < last.endIndex else { return }
    if !last[(first + 1)...].contains(UInt8(ascii: ".")) { dot = first }
  }

  /// The bytes of all segments without the format; nil if there is none.
  var lengthWithoutFormat: Int? {
    dot.map { length - (ranges[count - 1].upperBound - $0) }
  }

  /// - Parameter withoutFormat: for the last segment only.
  func segment(_ index: Int, withoutFormat: Bool = false) -> ArraySlice<UInt8> {
    let range = ranges[index]
    guard withoutFormat, let dot else { return bytes[range] }
    return bytes[range.lowerBound..<dot]
  }
}
