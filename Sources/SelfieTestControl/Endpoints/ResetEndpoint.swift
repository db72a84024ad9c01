import HTTPMessages
import SelfieAPI

extension World {
  /// `POST /__admin/reset`: restores the initial state.
  func resetWorld(_ call: ControlCall) async throws -> Response {
    try await call.checkEmptyBody()
    let removed = try await reset()
    return .json { json in
      json.key("removed")
      json.object { $0.members(of: removed) }
    }
  }
}

extension JSONWriter {
  mutating func members(of counts: StateCounts) {
    member("users", counts.users)
    member("tokens", counts.tokens)
    member("photos", counts.photos)
    member("notes", counts.notes)
    member("microblog_users", counts.microblogUsers)
    member("blogposts", counts.blogposts)
  }
}
