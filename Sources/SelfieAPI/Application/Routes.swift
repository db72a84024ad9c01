import HTTPMessages

/// A request on its way to its endpoint.
struct Call: Sendable {
  let request: Request
  /// The parameters, where they had to be read to find the endpoint.
  let parameters: Parameters?
}

/// The addresses of the server.
enum Route: Equatable {
  case signup, signin, getToken, resetPassword, uploadPhoto, getPhotos, deletePhoto, clearToken
  /// With what stands where the photo's id should.
  case photo(ArraySlice<UInt8>)
  case home, health, readiness

  /// The route of a path, not decoded: Rails' router neither decodes `%5F` nor minds doubled and
  /// trailing slashes, and takes a `.format` of any kind behind an action.
  init?(path: ArraySlice<UInt8>) {
    var rest = path
    guard let first = Self.segment(&rest) else {
      guard path.first == UInt8(ascii: "/") else { return nil }
      self = .home
      return
    }
    guard let second = Self.segment(&rest) else {
      guard let route = Self.check(first) else { return nil }
      self = route
      return
    }
    guard Self.segment(&rest) == nil else { return nil }
    if Self.equal(first, "api") {
      guard let action = Self.withoutFormat(second), let route = Self.action(action) else { return nil }
      self = route
    } else if Self.equal(first, "photos") {
      self = .photo(second)
    } else if Self.equal(first, "home") {
      // The original's root was home#index, and had that address too.
      guard Self.equal(second, "index") || Self.equal(second, "index.html") else { return nil }
      self = .home
    } else {
      return nil
    }
  }

  /// What monitors ask for.
  private static func check(_ name: ArraySlice<UInt8>) -> Route? {
    equal(name, "up") ? .health : equal(name, "readyz") ? .readiness : nil
  }

  private static func action(_ name: ArraySlice<UInt8>) -> Route? {
    switch name.count {
    case 6: equal(name, "signup") ? .signup : equal(name, "signin") ? .signin : nil
    case 9: equal(name, "get_token") ? .getToken : nil
    case 10: equal(name, "get_photos") ? .getPhotos : nil
    case 11: equal(name, "clear_token") ? .clearToken : nil
    case 12: equal(name, "upload_photo") ? .uploadPhoto : equal(name, "delete_photo") ? .deletePhoto : nil
    case 14: equal(name, "reset_password") ? .resetPassword : nil
    default: nil
    }
  }

  /// The next piece between slashes; nil at the end.
  private static func segment(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let slash = UInt8(ascii: "/")
    var start = rest.startIndex
    while start < rest.endIndex, rest[start] == slash { start += 1 }
    var end = start
    while end < rest.endIndex, rest[end] != slash { end += 1 }
    let segment = rest[start..<end]
    rest = rest[end...]
    return segment.isEmpty ? nil : segment
  }

  /// The action's name of `name` or `name.format`; nil when the format is empty or has a dot itself.
  private static func withoutFormat(_ segment: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let dot = UInt8(ascii: ".")
    guard let first = segment.firstIndex(of: dot) else { return segment }
    let format = segment[(first + 1)...]
    return format.isEmpty || format.contains(dot) ? nil : segment[..<first]
  }

  private static func equal(_ text: ArraySlice<UInt8>, _ name: StaticString) -> Bool {
    name.withUTF8Buffer { name in
      text.count == name.count && text.withUnsafeBufferPointer { $0.elementsEqual(name) }
    }
  }
}

extension Route {
  /// The methods that an address answers, as `Allow` tells them (RFC 9110 §10.2.1).
  var allowedMethods: StaticString {
    switch self {
    case .signup, .signin, .resetPassword, .uploadPhoto: "OPTIONS, POST"
    case .getToken, .clearToken: "GET, OPTIONS"
    case .getPhotos, .photo, .home, .health, .readiness: "GET, HEAD, OPTIONS"
    case .deletePhoto: "DELETE, OPTIONS"
    }
  }
}

extension Application {
  /// From the request to its endpoint.
  func dispatch(_ request: Request) async throws -> Response {
    guard let route = Route(path: request.head.path) else { return try withoutRoute(request) }
    let (method, parameters) = try await effectiveMethod(of: request, to: route)
    let call = Call(request: request, parameters: parameters)
    switch (route, method) {
    case (.signup, .post): return try await signup(call)
    case (.signin, .post): return try await signin(call)
    case (.getToken, .get): return try await getToken(call)
    case (.resetPassword, .post): return try await resetPassword(call)
    case (.uploadPhoto, .post): return try await uploadPhoto(call)
    case (.getPhotos, .get), (.getPhotos, .head): return try await getPhotos(call)
    case (.deletePhoto, .delete): return try await deletePhoto(call)
    case (.clearToken, .get): return try await clearToken(call)
    case (.photo(let id), .get), (.photo(let id), .head): return try downloadPhoto(id, request)
    case (.home, .get), (.home, .head): return try home(request)
    case (.health, .get), (.health, .head): return health(request)
    case (.readiness, .get), (.readiness, .head): return try await readiness(request)
    case (.home, .options): throw APIError.notFound
    case (_, .options): return Self.options(route.allowedMethods)
    default: throw APIError.notFound
    }
  }

  private func withoutRoute(_ request: Request) throws -> Response {
    // `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7).
    guard request.head.method == .options, request.head.path.elementsEqual("*".utf8) else { throw APIError.notFound }
    return Self.options("DELETE, GET, HEAD, OPTIONS, POST")
  }

  private static func options(_ methods: StaticString) -> Response {
    var fields = ResponseFields()
    fields.append("Allow", methods)
    fields.append("Cache-Control", "no-cache" as StaticString)
    return Response(status: .noContent, fields: fields)
  }

  /// Rack's `MethodOverride`: a POST may ask for another method by `_method` in a form or multipart
  /// body, or else by the field X-HTTP-Method-Override.
  ///
  /// - Returns: the parameters too, where they had to be read.
  private func effectiveMethod(of request: Request, to route: Route) async throws -> (Method, Parameters?) {
    guard request.head.method == .post else { return (request.head.method, nil) }
    // An upload is read as a stream; the endpoint looks for `_method` itself.
    if route != .uploadPhoto, !request.body.isEmpty {
      switch try BodyKind(contentType: request.head.fields[.contentType]) {
      case .form, .multipart:
        let form = try await bodyParameters(of: request)
        let override = MethodOverride(form: form) ?? MethodOverride(header: request)
        return (override?.method ?? .post, Parameters(query: try queryParameters(of: request), body: form))
      case .json, .none: break
      }
    }
    return (MethodOverride(header: request)?.method ?? .post, nil)
  }
}
