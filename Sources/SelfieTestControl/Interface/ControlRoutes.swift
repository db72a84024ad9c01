import HTTPMessages

/// A method and a path of the control interface, and the endpoint that responds to them.
struct ControlRoute: Sendable {
  enum Endpoint: Sendable {
    /// Is not about one world, so a request to it must not make the world that it names.
    case worlds(@Sendable (Worlds) -> (ControlCall) async throws -> Response)
    case world(@Sendable (World) -> (ControlCall) async throws -> Response)
  }

  /// The routes, in the order in which `GET /__admin/` lists them and `Docs/openapi.yaml` describes them.
  static let all = [
    ControlRoute(.get, "/__admin/", .worlds(Worlds.showIndex)),
    ControlRoute(.get, "/__admin/clock", .world(World.showClock)),
    ControlRoute(.post, "/__admin/clock", .world(World.setClock)),
    ControlRoute(.get, "/__admin/faults", .world(World.listFaults)),
    ControlRoute(.post, "/__admin/faults", .world(World.addFaults)),
    ControlRoute(.delete, "/__admin/faults", .world(World.removeFaults)),
    ControlRoute(.delete, "/__admin/faults/{id}", .world(World.removeFault)),
    ControlRoute(.get, "/__admin/pages/{name}", .worlds(Worlds.showPageFile)),
    ControlRoute(.get, "/__admin/photos/{id}", .worlds(Worlds.showPhoto)),
    ControlRoute(.get, "/__admin/requests", .world(World.listRequests)),
    ControlRoute(.delete, "/__admin/requests", .world(World.clearRequests)),
    ControlRoute(.get, "/__admin/requests/events", .world(World.streamRequests)),
    ControlRoute(.get, "/__admin/requests/{id}", .world(World.showRequest)),
    ControlRoute(.post, "/__admin/requests/count", .world(World.countRequests)),
    ControlRoute(.post, "/__admin/requests/verify", .world(World.verifyRequests)),
    ControlRoute(.post, "/__admin/requests/wait", .world(World.waitForRequests)),
    ControlRoute(.post, "/__admin/reset", .world(World.resetWorld)),
    ControlRoute(.post, "/__admin/seed", .world(World.seed)),
    ControlRoute(.get, "/__admin/snapshots", .world(World.listSnapshots)),
    ControlRoute(.put, "/__admin/snapshots/{name}", .world(World.saveSnapshot)),
    ControlRoute(.post, "/__admin/snapshots/{name}", .world(World.saveSnapshot)),
    ControlRoute(.delete, "/__admin/snapshots/{name}", .world(World.deleteSnapshot)),
    ControlRoute(.post, "/__admin/snapshots/{name}/restore", .world(World.restoreSnapshot)),
    ControlRoute(.get, "/__admin/state", .world(World.exportState)),
    ControlRoute(.post, "/__admin/state", .world(World.importState)),
    ControlRoute(.post, "/__admin/tokens/expire", .world(World.expireTokens)),
    ControlRoute(.post, "/__admin/tokens/revoke", .world(World.revokeTokens)),
    ControlRoute(.get, "/__admin/worlds", .worlds(Worlds.listWorlds)),
    ControlRoute(.delete, "/__admin/worlds/{name}", .worlds(Worlds.removeWorld)),
  ]

  /// - Throws: 404 for an unknown path, 405 for a method that the path does not have.
  static func route(for call: ControlCall) throws(ControlError) -> ControlRoute {
    // `requests/count` is also a path of the form `requests/{id}`.
    let exact = all.filter { $0.segments == call.path }
    let routes = exact.isEmpty ? all.filter { $0.matches(call.path) } : exact
    guard !routes.isEmpty else { throw .notFound }
    let method = call.method == .head ? .get : call.method
    guard let route = routes.first(where: { $0.method == method }) else {
      throw .methodNotAllowed(routes.map(\.methodName).sorted().joined(separator: ", "))
    }
    return route
  }

  let endpoint: Endpoint
  /// Such as `GET /__admin/clock`.
  var address: String { "\(methodName) \(path)" }
  private let method: Method
  private let path: String
  /// The segments after `__admin`. One in braces stands for any segment.
  private let segments: [String]
  private var methodName: String { "\(method)".uppercased() }

  private init(_ method: Method, _ path: String, _ endpoint: Endpoint) {
    self.method = method
    self.path = path
    self.endpoint = endpoint
    segments = path.split(separator: "/").dropFirst().map(String.init)
  }

  private func matches(_ path: [String]) -> Bool {
    segments.count == path.count && zip(segments, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
  }
}
