import HTTPMessages
import Platform
import SelfieAPI

// The owner's commands that open and close the owner's page. `OwnerSessions` has the links and sessions.
extension OwnerConsole {
  /// The secret is in the address's fragment, which browsers send to no server: it gets into no log and into no Referer,
  /// and a preview of the link does not use it up.
  func openPage(at address: String?) throws -> OwnerReply {
    let sessions = try requireServer().sessions
    if let address, !PageAccess.canOpen(at: address) {
      throw APIError(
        .badRequest, "The page opens at an address that begins with https://, or at http://localhost with its port.")
    }
    let page = address ?? sessions.address
    let url = "\(page.last == "/" ? page.dropLast() : page[...])/owner#\(sessions.make(.link))"
    application.securityLog.log(
      ownersCommand: "owner", [:], numbers: ["minutes": OwnerSessions.linkLifetime / 60_000])
    return try OwnerReply(url, of: PageLink(url: url, seconds: OwnerSessions.linkLifetime / 1000))
  }

  func closePage() throws -> OwnerReply {
    let count = Int64(try requireServer().sessions.endAll())
    application.securityLog.log(ownersCommand: "owner --end", [:], numbers: ["sessions": count])
    return try OwnerReply(
      "\(counted(count, "session")) ended, and the page is closed.", of: EndedSessions(sessions: count))
  }
}

/// A link that opens the owner's page once.
package struct PageLink: Codable, Sendable {
  package let url: String
  /// How long it is valid.
  package let seconds: Int64
}

/// How many sessions of the owner's page have ended.
package struct EndedSessions: Codable, Sendable {
  package let sessions: Int64
}
