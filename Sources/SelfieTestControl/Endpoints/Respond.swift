package import HTTPMessages
import SelfieAPI

// Passes a request to its endpoint or to its world. ControlRoutes.swift lists the endpoints, and `World` responds to
// requests for the API.
extension Worlds {
  /// Names the world that a request is for.
  private static let worldField = FieldName("x-test-world")
  /// Stands after a name.
  private static let evict = ";evict"

  /// Whether a request is for the control interface, and not for the API.
  package static func isForControl(_ request: Request) -> Bool { ControlCall(request) != nil }

  /// Responds to a request for the control interface, or passes it to the application of the world that it names.
  package func respond(_ request: Request) async -> Response {
    let call = ControlCall(request)
    var response: Response
    do {
      if let call {
        response = try await respond(to: call)
      } else {
        response = try await inWorld(of: request, mayMake: mayMakeWorld(request)) { await $0.respond(request) }
      }
    } catch {
      response = self.response(to: error)
    }
    // A photo has it from the API.
    if call != nil, response.fields["X-Content-Type-Options"] == nil {
      response.fields.append("X-Content-Type-Options", "nosniff" as StaticString)
    }
    return response
  }

  private func respond(to call: ControlCall) async throws -> Response {
    call.request.context?.note { $0.route = "/__admin" }
    do throws(ControlError) {
      try access.check(call.request, publicURL: main.application.settings.publicURL)
    } catch {
      main.application.securityLog.log(.controlRefused, by: call.request, status: error.status)
      throw error
    }
    return try await ControlRoute.route(for: call).endpoint(self)(call)
  }

  /// Runs `body` with the world that a request is for, which is not closed meanwhile.
  ///
  /// - Parameter mayMake: whether the request may make the world that it names.
  func inWorld(
    of request: Request, mayMake: @autoclosure () -> Bool, _ body: (World) async throws -> Response
  ) async throws -> Response {
    while true {
      let world = try await world(of: request, mayMake: mayMake)
      // A world that is being closed no longer has its name, so the next attempt finds or makes another.
      guard world.begin() else { continue }
      defer { world.end() }
      return try await body(world)
    }
  }

  private func world(of request: Request, mayMake: () -> Bool) async throws -> World {
    guard request.head.fields.count(of: Self.worldField) <= 1 else {
      throw ControlError.invalid("The request has several fields X-Test-World. Send only one.")
    }
    if let name = Self.worldName(of: request) {
      guard exists(name) || mayMake() else {
        throw ControlError.unauthorized(realm: "Application", Self.unknownWorld)
      }
      return try await world(
        named: name, evicts: request.head.fields.text(Self.worldField)?.hasSuffix(Self.evict) == true)
    }
    // Whatever shows a picture requests it without naming a world. An id that the server made exists in one world only;
    // of equal ids from tests, the first world's is used.
    guard let id = RouteTable.photos.id(in: request) else { return main }
    return all.first { $0.application.photos.contains(id) } ?? main
  }

  /// The name of the world that a request is for; nil for the main one.
  static func worldName(of request: Request) -> String? {
    guard let value = request.head.fields.text(worldField) else { return nil }
    return value.hasSuffix(evict) ? String(value.dropLast(evict.count)) : value
  }

  /// Whether a request to the API may make the world that it names. A world takes memory and a thread, so on a server
  /// that keeps data only the control interface makes worlds.
  private func mayMakeWorld(_ request: Request) -> Bool {
    guard access.isEphemeral, !request.isFromForeignPage(of: main.application.settings.publicURL) else { return false }
    if request.isLocal { return true }
    return (try? main.application.requireAPIPassword(request)) != nil
  }

  private static let unknownWorld = """
    There is no world of the name in X-Test-World. A request to the control interface that names it makes it. On a \
    server that keeps nothing, a request to the API does so too, if it comes from a program on the server's own machine \
    or has the API's name and password by HTTP Basic.
    """
}
