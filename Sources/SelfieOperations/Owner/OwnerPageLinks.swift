import HTTPMessages
import SelfieAPI

extension OwnerInterface {
  /// `POST /page/links`: makes an address that opens the owner's page once. The secret is in the fragment, which
  /// browsers send to nobody: it gets into no log and into no Referer, and a preview of the link does not use it up.
  func makeLink(_ call: OwnerCall) async throws -> Response {
    let sessions = try pageSessions()
    let secret = sessions.makeLink()
    application.securityLog.log(
      ownersCommand: "owner", [:], numbers: ["minutes": OwnerSessions.linkLifetime / 60_000])
    return .owner(
      JSONWriter.object { json in
        json.member("url", "\(sessions.address)/owner#\(secret)")
        json.member("seconds", OwnerSessions.linkLifetime / 1000)
      })
  }

  /// `DELETE /page/sessions`: ends all sessions and links of the owner's page.
  func endSessions(_ call: OwnerCall) async throws -> Response {
    let count = try pageSessions().endAll()
    application.securityLog.log(ownersCommand: "owner --end", [:], numbers: ["sessions": Int64(count)])
    return .owner(JSONWriter.object { $0.member("sessions", Int64(count)) })
  }

  private func pageSessions() throws -> OwnerSessions {
    guard let sessions else {
      throw APIError(.conflict, "The page is one of a running server. Start the server first.")
    }
    return sessions
  }
}
