import HTTPMessages
import SelfieAPI

extension OwnerInterface {
  /// `GET /users`: the users by their email addresses.
  func listUsers(_ call: OwnerCall) async throws -> Response {
    let (limit, now, database) = (try call.limit(), application.clock(), application.database)
    return try await application.onWorker {
      let (users, total) = try database.read { connection in
        (
          try UserStore.summaries(max: limit, now: now, on: connection), try UserStore.count(on: connection)
        )
      }
      var json = JSONWriter(capacity: 4096)
      json.array { json in
        for user in users { json.object { $0.members(of: user) } }
      }
      return .owner(json.bytes, total: total)
    }
  }
}

extension JSONWriter {
  mutating func members(of summary: UserSummary) {
    let user = summary.user
    member("id", user.id)
    member("email", user.email)
    member("first_name", user.firstName)
    member("last_name", user.lastName)
    member("photos", summary.photos)
    member("bytes", summary.photoBytes)
    member("notes", summary.notes)
    member("tokens", summary.tokens)
    member("created_at", time: user.createdAt)
    member("updated_at", time: user.updatedAt)
  }
}
