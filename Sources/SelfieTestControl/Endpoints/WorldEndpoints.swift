import HTTPMessages
import Pages
import SelfieAPI

// The worlds and their clocks, and the inspector.

extension Worlds {
  /// `GET /__admin/`: lists the addresses of the control interface; for a browser, the inspector.
  func showIndex(_ call: ControlCall) throws -> Response {
    var response =
      if call.request.head.fields[.accept]?.containsIgnoringCase("text/html") == true {
        try Self.page("inspector.html", for: call.request)
      } else {
        Response.json { $0.member("addresses", array: ControlRoute.all) { $0.string($1.address) } }
      }
    response.fields.append("Vary", "Accept" as StaticString)
    return response
  }

  /// `GET /__admin/pages/{name}`: a file of the inspector.
  func showPageFile(_ call: ControlCall) throws -> Response {
    try Self.page(call.name, for: call.request)
  }

  private static func page(_ name: String, for request: Request) throws -> Response {
    guard let file = PageFile(name, in: .inspector) else {
      throw ControlError(.notFound, "The inspector has no file \(name).")
    }
    return file.response(to: request)
  }

  /// `GET /__admin/photos/{id}`: the response of `GET /photos/{id}`, without a trace in the journal and without faults.
  func showPhoto(_ call: ControlCall) async throws -> Response {
    guard Photo.isID(call.name.utf8) else { throw ControlError(.notFound, "This is not a photo's id.") }
    let request = Request("GET", "/photos/\(call.name)", peer: call.request.peer)
    return try await inWorld(of: request, mayMake: false) { await $0.application.respond(request) }
  }

  /// `GET /__admin/worlds`: lists all worlds but the main one.
  func listWorlds(_ call: ControlCall) -> Response {
    .json { json in
      json.member("worlds", array: names) { $0.string($1) }
      json.member("most", Int64(Self.maxCount))
    }
  }

  /// `DELETE /__admin/worlds/{name}`: closes a world. A test that ends need not know whether it has used its world.
  func removeWorld(_ call: ControlCall) async throws -> Response {
    guard call.name.isResourceName else {
      throw ControlError(.notFound, "There is no world named \(call.name).")
    }
    try await remove(call.name)
    return .json { $0.member("removed", call.name) }
  }
}

extension World {
  /// `GET /__admin/clock`: the world's time. The Date field of responses stays real: it is the message's date, not the
  /// world's, and caches compute with it (RFC 9110 §6.6.1).
  func showClock(_ call: ControlCall) -> Response {
    let now = clock.time
    return .json { json in
      json.member("now", time: now)
      json.key("frozen")
      json.boolean(clock.isFrozen)
      json.member("ahead_milliseconds", clock.offset)
    }
  }

  /// `POST /__admin/clock`: resets, sets, freezes, runs and advances the clock, in this order.
  func setClock(_ call: ControlCall) async throws -> Response {
    let body = try await call.body()
    try body.allow(["advance", "set", "freeze", "run", "reset"])
    let (resets, runs) = (try body.boolean("reset") == true, try body.boolean("run") == true)
    let (time, duration) = (try body.instant("set"), try body.duration("advance"))
    let stop = try Self.stop(in: body)
    guard stop == nil || !runs else {
      throw ControlError.invalid("A clock cannot be frozen and running: pass freeze or run, not both.")
    }
    guard resets || runs || time != nil || duration != nil || stop != nil else {
      throw ControlError.invalid(
        """
        Say what the clock is to do: {"advance":"25h"}, {"set":"2026-01-01T00:00:00Z"}, \
        {"freeze":"2026-01-01T00:00:00Z"}, {"freeze":true}, {"run":true} or {"reset":true}.
        """)
    }
    if resets { clock.reset() }
    if let time { clock.set(to: time) }
    if let stop { clock.freeze(at: stop) }
    if runs { clock.run() }
    if let duration { clock.advance(by: duration) }
    return showClock(call)
  }

  /// The time at which to stop the clock, or nil for where it is; nil if it is not to be stopped.
  private static func stop(in body: JSONMembers) throws -> Int64?? {
    if case .bool(let isTrue)? = body.value("freeze") { return isTrue ? .some(nil) : nil }
    return try body.instant("freeze").map(Optional.some)
  }
}
