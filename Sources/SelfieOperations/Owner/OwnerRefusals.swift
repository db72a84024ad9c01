import HTTPMessages
import Platform
import SelfieAPI

// The owner's command about refusals. `RefusalLog` has them.
extension OwnerConsole {
  func why(after number: Int64?) async throws -> OwnerReply {
    let entries = try requireServer("knows what it has refused").refusals.entries(after: number)
    var emails: [Int64: String] = [:]
    for id in Set(entries.filter(\.hasUser).compactMap(\.userID)) {
      emails[id] = try await application.users.find(id: id)?.email
    }
    var json = JSONWriter(capacity: 4096)
    json.array(of: entries) { [emails] json, entry in
      json.object { $0.members(of: entry, email: entry.hasUser ? entry.userID.flatMap { emails[$0] } : nil) }
    }
    return OwnerReply(json.bytes)
  }
}

extension RefusalLog.Entry {
  /// The request as people read it.
  var request: String {
    guard let method else { return "a request that could not be read" }
    return "\(method) \(route.map { "\($0)" } ?? "at an address that no app has")"
  }

  /// Whether the id is one of `UserStore`: the Microblog's users have ids of their own.
  fileprivate var hasUser: Bool {
    route.map { route in ["/api/", "/notes"].contains { "\(route)".hasPrefix($0) } } ?? false
  }
}

extension JSONWriter {
  fileprivate mutating func members(of entry: RefusalLog.Entry, email: String?) {
    member("id", entry.id)
    member("number", entry.number)
    member("time", time: entry.time)
    member("count", entry.count)
    member("status", Int64(entry.status))
    member("method", entry.method)
    member("route", entry.route.map { "\($0)" })
    member("detail", entry.detail)
    member("client", entry.client)
    member("app", entry.app.isEmpty ? nil : entry.app)
    member("user_id", entry.userID)
    member("email", email)
    member("request_id", entry.requestID.isEmpty ? nil : entry.requestID)
  }
}
