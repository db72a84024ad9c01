import HTTPMessages
import Pages
import SelfieAPI
import SelfieTestDocuments

// The endpoints of the worlds and their clocks, and of the inspector. `Worlds` and `WorldClock` do the work.

extension Worlds {
  /// `GET /__admin/`: lists the addresses of the control interface; for a browser, the inspector.
  func showIndex(_ call: ControlCall) async throws -> Response {
    var response =
      if call.request.head.fields[.accept]?.containsIgnoringCase("text/html") == true {
        try await page("inspector.html", for: call.request)
      } else {
        Response.json(["addresses": ControlRoute.all.map(\.address)])
      }
    response.fields.append("Vary", "Accept" as StaticString)
    return response
  }

  /// `GET /__admin/pages/{name}`: a file of the inspector.
  func showPageFile(_ call: ControlCall) async throws -> Response {
    try await page(call.name, for: call.request)
  }

  private func page(_ name: String, for request: Request) async throws -> Response {
    guard let file = PageFile(name, in: .inspector) else {
      throw ControlError(.notFound, "The inspector has no file \(name).")
    }
    return await file.response(to: request, by: main.application.lists)
  }

  /// `GET /__admin/photos/{id}`: the response of `GET /photos/{id}`, without a trace in the journal and without faults.
  func showPhoto(_ call: ControlCall) async throws -> Response {
    guard Photo.isID(call.name.utf8) else { throw ControlError(.notFound, "This is not a photo's id.") }
    let request = Request("GET", "/photos/\(call.name)", peer: call.request.peer)
    return try await inWorld(of: request, mayMake: false) { await $0.application.respond(request) }
  }

  /// `GET /__admin/worlds`: lists all worlds but the main one.
  func listWorlds(_ call: ControlCall) throws -> Response {
    .json(WorldList(try listed(), most: Self.maxCount))
  }

  /// `DELETE /__admin/worlds`: closes all worlds but the main one.
  func removeWorlds(_ call: ControlCall) async throws -> Response {
    let names = names
    for name in names { try await remove(name) }
    return .json(Removed(names))
  }

  /// `DELETE /__admin/worlds/{name}`: closes a world. A test that ends need not know whether it has used its world.
  func removeWorld(_ call: ControlCall) async throws -> Response {
    guard call.name.isResourceName else {
      throw ControlError(.notFound, "There is no world named \(call.name).")
    }
    try await remove(call.name)
    return .json(Removed(call.name))
  }
}

extension World {
  /// `GET /__admin/clock`: the world's time. The Date field of responses stays real: it is the message's date, not the
  /// world's, and caches compute with it (RFC 9110 §6.6.1).
  func showClock(_ call: ControlCall) -> Response {
    let now = TestInstant(milliseconds: clock.time)
    return .json(ClockReading(now: now, frozen: clock.isFrozen, aheadMilliseconds: clock.offset))
  }

  /// `POST /__admin/clock`: resets, sets, freezes, runs and advances the clock, in this order.
  func setClock(_ call: ControlCall) async throws -> Response {
    let change: ClockChange = try await call.body()
    var problems = Problems()
    change.validate(at: "", &problems)
    try problems.check()
    clock.apply(change)
    return showClock(call)
  }
}
