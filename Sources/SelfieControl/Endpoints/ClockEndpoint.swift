import HTTPMessages
import SelfieAPI

extension World {
  /// `GET /__admin/clock` shows the world's time, `POST` turns it. The Date field of answers stays real: it is the
  /// message's, not the world's, and caches count by it (RFC 9110 §6.6.1).
  func clock(_ call: ControlCall) async throws -> Response {
    guard call.path.count == 1 else { throw ControlError.notFound }
    switch call.method {
    case .get, .head: break
    case .post: try turn(await call.body())
    default: throw ControlError.methodNotAllowed("GET, POST")
    }
    let now = clock.now
    return .json { json in
      json.member("now", time: now)
      json.key("frozen")
      json.boolean(clock.isFrozen)
      json.member("ahead_milliseconds", clock.offset)
    }
  }

  private func turn(_ body: JSONMembers) throws {
    try body.allow("advance", "set", "freeze", "run", "reset")
    let (advance, instant) = (try body.duration("advance"), try body.instant("set"))
    let (run, reset) = (try body.boolean("run"), try body.boolean("reset"))
    let freezes: Bool
    var freezingInstant: Int64?
    if case .bool(let isTrue)? = body.value("freeze") {
      freezes = isTrue
    } else {
      freezingInstant = try body.instant("freeze")
      freezes = freezingInstant != nil
    }
    guard advance != nil || instant != nil || freezes || run == true || reset == true else {
      throw ControlError.badRequest(
        """
        Say what the clock is to do: {"advance":"25h"}, {"set":"2026-01-01T00:00:00Z"}, \
        {"freeze":"2026-01-01T00:00:00Z"}, {"freeze":true}, {"run":true} or {"reset":true}.
        """)
    }
    guard !(freezes && run == true) else {
      throw ControlError.badRequest("A clock cannot stand still and run: give freeze or run, not both.")
    }
    if reset == true { clock.reset() }
    if let instant { clock.set(to: instant) }
    if freezes { clock.freeze(at: freezingInstant) }
    if run == true { clock.run() }
    if let advance { clock.advance(by: advance) }
  }
}
