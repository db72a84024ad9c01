import HTTPMessages
import SelfieAPI

/// A method and a path of the owner's interface, and the endpoint that responds to them.
struct OwnerRoute: Sendable {
  typealias Endpoint = @Sendable (OwnerInterface) -> (OwnerCall) async throws -> Response

  private static let all = [
    OwnerRoute(.get, "/status", OwnerInterface.showStatus),
    OwnerRoute(.get, "/users", OwnerInterface.listUsers),
    OwnerRoute(.post, "/users", OwnerInterface.createUser),
    OwnerRoute(.get, "/users/*", OwnerInterface.showUser),
    OwnerRoute(.delete, "/users/*", OwnerInterface.deleteUser),
    OwnerRoute(.put, "/users/*/password", OwnerInterface.setPassword),
    OwnerRoute(.delete, "/users/*/tokens", OwnerInterface.signOut),
    OwnerRoute(.put, "/users/*/disabled", OwnerInterface.disable),
    OwnerRoute(.delete, "/users/*/disabled", OwnerInterface.enable),
    OwnerRoute(.get, "/similar-emails", OwnerInterface.listSimilarEmails),
    OwnerRoute(.get, "/tokens", OwnerInterface.listTokens),
    OwnerRoute(.delete, "/tokens/*", OwnerInterface.revokeToken),
    OwnerRoute(.get, "/photos", OwnerInterface.listPhotos),
    OwnerRoute(.get, "/photos/*", OwnerInterface.showPhoto),
    OwnerRoute(.get, "/photos/*/content", OwnerInterface.exportPhoto),
    OwnerRoute(.delete, "/photos/*", OwnerInterface.deletePhoto),
    OwnerRoute(.post, "/page/links", OwnerInterface.makeLink),
    OwnerRoute(.delete, "/page/sessions", OwnerInterface.endSessions),
  ]

  let endpoint: Endpoint
  private let method: Method
  /// Nil stands for any segment.
  private let segments: [String?]

  private init(_ method: Method, _ path: String, _ endpoint: @escaping Endpoint) {
    self.method = method
    self.endpoint = endpoint
    segments = path.split(separator: "/").map { $0 == "*" ? nil : String($0) }
  }

  /// - Throws: 404 where no route has this method and path.
  static func route(for call: OwnerCall) throws -> OwnerRoute {
    guard let route = all.first(where: { $0.method == call.method && $0.matches(call.path) }) else {
      throw APIError(.notFound, "This server does not know the command. It may be older than the command's program.")
    }
    return route
  }

  private func matches(_ path: [String]) -> Bool {
    segments.count == path.count && zip(segments, path).allSatisfy { $0 == nil || $0 == $1 }
  }
}
