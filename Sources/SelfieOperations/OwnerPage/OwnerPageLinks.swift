import HTTPMessages
import SelfieAPI

extension OwnerInterface {
  /// `POST /page/links`: makes an address that opens the owner's page once. The secret is in the fragment, which
  /// browsers send to nobody: it gets into no log and into no Referer, and a preview of the link does not use it up.
  /// `?at=URL` is where the owner's browser reaches the server, if that is not its own address.
  func makeLink(_ call: OwnerCall) async throws -> Response {
    let sessions = try pageSessions()
    let address = try call.parameter("at").map(Self.openable) ?? sessions.address
    let secret = sessions.makeLink()
    application.securityLog.log(
      ownersCommand: "owner", [:], numbers: ["minutes": OwnerSessions.linkLifetime / 60_000])
    return .owner(
      JSONWriter.object { json in
        json.member("url", "\(address)/owner#\(secret)")
        json.member("seconds", OwnerSessions.linkLifetime / 1000)
      })
  }

  /// `DELETE /page/sessions`: ends all sessions and links of the owner's page.
  func endSessions(_ call: OwnerCall) async throws -> Response {
    let count = try pageSessions().endAll()
    application.securityLog.log(ownersCommand: "owner --end", [:], numbers: ["sessions": Int64(count)])
    return .owner(JSONWriter.object { $0.member("sessions", Int64(count)) })
  }

  private static func openable(_ address: String) throws -> String {
    guard PageAccess.canOpen(at: address) else {
      throw APIError(
        .badRequest, "The page opens at an address that begins with https://, or at http://localhost with its port.")
    }
    return address.last == "/" ? String(address.dropLast()) : address
  }

  private func pageSessions() throws -> OwnerSessions {
    guard let sessions else {
      throw APIError(.conflict, "The page is one of a running server. Start the server first.")
    }
    return sessions
  }
}
