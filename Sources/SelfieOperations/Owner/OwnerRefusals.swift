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
    return try OwnerReply(
      of: entries.map { entry in
        RefusalView(entry, email: entry.hasUser ? entry.userID.flatMap { emails[$0] } : nil)
      })
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
