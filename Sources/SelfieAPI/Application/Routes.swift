import HTTPMessages

/// The addresses of the server: a line for each method of a path. A credential is looked for before the body is read, and
/// given to the endpoint.
///
/// HEAD follows from GET unless `.withoutHead` says that the GET changes something; `Allow` follows from both.
extension RouteTable {
  /// The API that the tutorial's app calls, and refresh_token for those on Alamofire. Like Rails, it takes a `.format` of
  /// any kind after an action.
  static let selfie = RouteTable(
    takesFormat: true,
    [
      Route(.post, "/api/signup", .apiPassword, counts: .signUp) { try await $0.signup($1, by: $2) },
      Route(.post, "/api/signin", .apiPassword, counts: .signIn) { try await $0.signin($1, by: $2) },
      Route(.get, "/api/get_token", .apiPassword, .withoutHead, counts: .signIn) { try await $0.getToken($1, by: $2) },
      Route(.post, "/api/reset_password", .token) { try await $0.resetPassword($1, as: $2) },
      Route(.post, "/api/upload_photo", .token, .readsBody, counts: .upload) { try await $0.uploadPhoto($1, as: $2) },
      Route(.get, "/api/get_photos", .token, atOnce: { $0.photosAtOnce($1, id: $2) }) {
        try await $0.getPhotos($1, as: $2)
      },
      Route(.delete, "/api/delete_photo", .token) { try await $0.deletePhoto($1, as: $2) },
      Route(.get, "/api/clear_token", .tokenToClear, .withoutHead) { try await $0.clearToken($1, $2) },
      Route(.post, "/api/refresh_token", .refreshable) { try await $0.refreshToken($1, $2) },
    ])

  /// The photos, for anyone who knows their ids.
  package static let photos = RouteTable([
    Route(.get, "/photos/:id", atOnce: { $0.keptPhoto($1, id: $2) }) { try await $0.downloadPhoto($1) }
  ])

  /// The API of the Microblog app.
  static let microblog = RouteTable(
    errors: .microblog,
    [
      Route(.post, "/users/register", counts: .signUp) { try await $0.registerMicroblogUser($1) },
      Route(.post, "/users/login", counts: .signIn) { try await $0.loginMicroblogUser($1) },
      Route(.post, "/users/logout") { try await $0.logoutMicroblogUser($1) },
      Route(.get, "/users") { try await $0.listMicroblogUsers($1) },
      Route(.get, "/blogposts") { try await $0.listBlogposts($1) },
      Route(.post, "/blogposts") { try await $0.createBlogpost($1) },
      Route(.get, "/probe_status") { $0.probeStatus($1) },
    ])

  /// The API of the Notes app. Like Rails, it takes a `.format` of any kind.
  static let notes = RouteTable(
    errors: .notes, takesFormat: true,
    [
      Route(.get, "/notes", .notesUser) { try await $0.listNotes($1, of: $2) },
      Route(.post, "/notes", .notesUser) { try await $0.createNote($1, by: $2) },
      Route(.get, "/notes/:id", .notesUser) { try await $0.showNote($1, of: $2) },
      Route(.put, "/notes/:id", .notesUser) { try await $0.updateNote($1, by: $2) },
      Route(.patch, "/notes/:id", .notesUser) { try await $0.updateNote($1, by: $2) },
      Route(.delete, "/notes/:id", .notesUser) { try await $0.deleteNote($1, by: $2) },
    ])

  /// The pages about the server itself, for people and monitors. The original's root was home#index, which had an address
  /// of its own too.
  package static let server = RouteTable([
    Route(.get, "/", .withoutOptions) { try $0.home($1) },
    Route(.get, "/home/index", .withoutOptions) { try $0.home($1) },
    Route(.get, "/home/index.html", .withoutOptions) { try $0.home($1) },
    Route(.get, "/pages/:id") { try $0.homePageFile($1) },
    Route(.get, "/up", atOnce: { $0.health($1, id: $2) }) { $0.health($1.request) },
    Route(.get, "/readyz") { try await $0.readiness($1) },
  ])

  /// The tables of the families. The one with most requests comes first.
  static func tables(of families: Set<APIFamily>) -> [RouteTable] {
    let tables = APIFamily.allCases.filter(families.contains).flatMap { family in
      switch family {
      case .selfie: [selfie, photos]
      case .microblog: [microblog]
      case .notes: [notes]
      }
    }
    return tables + [server]
  }
}

extension Application {
  /// The resource that a request is for; nil if no route has its path.
  func target(of request: Request) -> Target? {
    guard let path = RequestPath(request.head.path) else { return nil }
    for table in routes {
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
    return routes.first { $0.firstSegments.contains(name) }?.errorFormat ?? .selfie
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
