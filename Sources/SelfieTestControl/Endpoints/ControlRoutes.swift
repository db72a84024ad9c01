import HTTPMessages

/// A method and a path of the control interface, and the endpoint that responds to them. Respond.swift finds the route
/// of a request, and StateEndpoints.swift and the files beside it have the endpoints.
struct ControlRoute: Sendable {
  typealias Endpoint = @Sendable (Worlds) -> (ControlCall) async throws -> Response

  /// The routes, in the order in which `GET /__admin/` lists them and `Docs/openapi.yaml` describes them.
  static let all = [
    ControlRoute(.get, "/__admin/", worlds: Worlds.showIndex),
    ControlRoute(.get, "/__admin/clock", World.showClock),
    ControlRoute(.post, "/__admin/clock", World.setClock),
    ControlRoute(.get, "/__admin/faults", Worlds.listFaults),
    ControlRoute(.post, "/__admin/faults", World.addFaults),
    ControlRoute(.delete, "/__admin/faults", Worlds.removeFaults),
    ControlRoute(.post, "/__admin/faults/connections", worlds: Worlds.failConnections),
    ControlRoute(.delete, "/__admin/faults/{id}", World.removeFault),
    ControlRoute(.get, "/__admin/pages/{name}", worlds: Worlds.showPageFile),
    ControlRoute(.get, "/__admin/photos/{id}", worlds: Worlds.showPhoto),
    ControlRoute(.get, "/__admin/requests", World.listRequests),
    ControlRoute(.delete, "/__admin/requests", World.clearRequests),
    ControlRoute(.get, "/__admin/requests/events", World.streamRequests),
    ControlRoute(.get, "/__admin/requests/{id}", World.showRequest),
    ControlRoute(.post, "/__admin/requests/count", World.countRequests),
    ControlRoute(.post, "/__admin/requests/verify", Worlds.verifyRequests),
    ControlRoute(.post, "/__admin/requests/wait", Worlds.waitForRequests),
    ControlRoute(.post, "/__admin/reset", Worlds.reset),
    ControlRoute(.post, "/__admin/seed", World.seed),
    ControlRoute(.get, "/__admin/snapshots", World.listSnapshots),
    ControlRoute(.put, "/__admin/snapshots/{name}", World.saveSnapshot),
    ControlRoute(.post, "/__admin/snapshots/{name}", World.saveSnapshot),
    ControlRoute(.delete, "/__admin/snapshots/{name}", World.deleteSnapshot),
    ControlRoute(.post, "/__admin/snapshots/{name}/restore", World.restoreSnapshot),
    ControlRoute(.get, "/__admin/state", World.exportState),
    ControlRoute(.post, "/__admin/tokens/expire", World.expireTokens),
    ControlRoute(.post, "/__admin/tokens/revoke", World.revokeTokens),
    ControlRoute(.get, "/__admin/worlds", worlds: Worlds.listWorlds),
    ControlRoute(.delete, "/__admin/worlds", worlds: Worlds.removeWorlds),
    ControlRoute(.delete, "/__admin/worlds/{name}", worlds: Worlds.removeWorld),
  ]

  /// - Throws: `ControlError` for an unknown path, and for a method that the path does not have (RFC 9110 §15.5.6).
  static func route(for call: ControlCall) throws(ControlError) -> ControlRoute {
    // `requests/count` is also a path of the form `requests/{id}`.
    let exact = all.filter { $0.segments == call.path }
    let routes = exact.isEmpty ? all.filter { $0.matches(call.path) } : exact
    guard !routes.isEmpty else {
      throw ControlError(.notFound, "The control interface has no such address. GET /__admin/ lists all addresses.")
    }
    let method = call.request.head.method == .head ? .get : call.request.head.method
    guard let route = routes.first(where: { $0.method == method }) else {
      let allowed = routes.map { "\($0.method.name)" }.sorted().joined(separator: ", ")
      throw ControlError(
        .methodNotAllowed, "This address accepts only \(allowed).", fieldLines: "Allow: \(allowed)\r\n")
    }
    return route
  }

  let endpoint: Endpoint
  /// Such as `GET /__admin/clock`.
  var address: String { "\(method.name) \(path)" }
  private let method: Method
  private let path: String
  /// The segments after `__admin`. One in braces stands for any segment.
  private let segments: [String]

  /// Is not about one world, so a request to it must not make the world that it names.
  private init(_ method: Method, _ path: String, worlds endpoint: @escaping Endpoint) {
    self.method = method
    self.path = path
    self.endpoint = endpoint
    segments = path.split(separator: "/").dropFirst().map(String.init)
  }

  private init(
    _ method: Method, _ path: String, _ endpoint: @escaping @Sendable (World) -> (ControlCall) async throws -> Response
  ) {
    self.init(method, path) { worlds in
      { call in try await worlds.inWorld(of: call.request, mayMake: true) { try await endpoint($0)(call) } }
    }
  }

  /// Is about a world, and needs the others or the server too.
  private init(
    _ method: Method, _ path: String,
    _ endpoint: @escaping @Sendable (Worlds) -> (World, ControlCall) async throws -> Response
  ) {
    self.init(method, path) { worlds in
      { call in try await worlds.inWorld(of: call.request, mayMake: true) { try await endpoint(worlds)($0, call) } }
    }
  }

  private func matches(_ path: [String]) -> Bool {
    segments.count == path.count && zip(segments, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
  }
}
