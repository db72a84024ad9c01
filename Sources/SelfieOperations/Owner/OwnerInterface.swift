import HTTPMessages
import SelfieAPI

/// What the owner's commands ask of a server: a function from a request to its response, as the application is. A
/// running server has it behind `control.sock`; where none runs, the command itself calls it.
public struct OwnerInterface: Sendable {
  let application: Application
  let version: String
  /// Unix milliseconds; nil where no server runs.
  let startedAt: Int64?
  /// Nil where the server makes none by itself, or none runs.
  let backups: ScheduledBackups?
  /// Nil where there is no page for the owner.
  let sessions: OwnerSessions?

  public init(
    _ application: Application, version: String, startedAt: Int64?, backups: ScheduledBackups? = nil,
    sessions: OwnerSessions? = nil
  ) {
    self.application = application
    self.version = version
    self.startedAt = startedAt
    self.backups = backups
    self.sessions = sessions
  }

  /// Responds to a request. It throws nothing: every error becomes a response.
  public func respond(_ request: Request) async -> Response {
    do {
      return try await respond(to: OwnerCall(request))
    } catch {
      return application.response(to: error, of: request)
    }
  }

  func respond(to call: OwnerCall) async throws -> Response {
    try await OwnerRoute.route(for: call).endpoint(self)(call)
  }

  /// Responds to what the HTTP server refuses, such as a malformed request.
  public func refuse(_ status: Status, _ message: String) -> Response { application.refuse(status, message) }

  /// Ends the database's snapshot that the requests of an event loop's turn have shared.
  public func endOfTurn() { application.endOfTurn() }
}
