import HTTPMessages
import SelfieAPI

extension World {
  /// `POST /__admin/reset`: everything is as it was in the beginning.
  func reset(_ call: ControlCall) async throws -> Response {
    guard call.path.count == 1 else { throw ControlError.notFound }
    guard call.method == .post else { throw ControlError.methodNotAllowed("POST") }
    try await call.body().allow()
    let removed = try await reset()
    return .json { json in
      json.key("removed")
      json.object { $0.members(of: removed) }
    }
  }
}

extension WireJSON {
  mutating func members(of counts: StateCounts) {
    member("users", counts.users)
    member("tokens", counts.tokens)
    member("photos", counts.photos)
  }
}
