import HTTPMessages
import SelfieAPI

extension World {
  /// `GET /__admin/clock`: the world's time. The Date field of responses stays real: it is the message's date, not the
  /// world's, and caches compute with it (RFC 9110 §6.6.1).
  func showClock(_ call: ControlCall) -> Response {
    let now = clock.now
    return .json { json in
      json.member("now", time: now)
      json.key("frozen")
      json.boolean(clock.isFrozen)
      json.member("ahead_milliseconds", clock.offset)
    }
  }

  /// `POST /__admin/clock`: sets, freezes, runs, advances or resets the clock.
  func setClock(_ call: ControlCall) async throws -> Response {
    for command in try ClockCommand.commands(in: await call.body()) { command.apply(to: clock) }
    return showClock(call)
  }
}

private enum ClockCommand {
  case reset
  case set(Int64)
  case freeze(at: Int64?)
  case run
  case advance(by: Int64)

  /// The commands of a request, in the order in which they apply.
  static func commands(in body: JSONMembers) throws -> [ClockCommand] {
    try body.allow("advance", "set", "freeze", "run", "reset")
    var commands: [ClockCommand] = []
    if try body.boolean("reset") == true { commands.append(.reset) }
    if let instant = try body.instant("set") { commands.append(.set(instant)) }
    let freeze = try freeze(in: body)
    if let freeze { commands.append(freeze) }
    if try body.boolean("run") == true {
      guard freeze == nil else {
        throw ControlError.badRequest("A clock cannot stand still and run: give freeze or run, not both.")
      }
      commands.append(.run)
    }
    if let duration = try body.duration("advance") { commands.append(.advance(by: duration)) }
    guard !commands.isEmpty else {
      throw ControlError.badRequest(
        """
        Say what the clock is to do: {"advance":"25h"}, {"set":"2026-01-01T00:00:00Z"}, \
        {"freeze":"2026-01-01T00:00:00Z"}, {"freeze":true}, {"run":true} or {"reset":true}.
        """)
    }
    return commands
  }

  private static func freeze(in body: JSONMembers) throws -> ClockCommand? {
    if case .bool(let isTrue)? = body.value("freeze") { return isTrue ? .freeze(at: nil) : nil }
    return try body.instant("freeze").map { .freeze(at: $0) }
  }

  func apply(to clock: WorldClock) {
    switch self {
    case .reset: clock.reset()
    case .set(let instant): clock.set(to: instant)
    case .freeze(let instant): clock.freeze(at: instant)
    case .run: clock.run()
    case .advance(let duration): clock.advance(by: duration)
    }
  }
}
