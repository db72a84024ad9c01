import HTTPMessages
import Platform
import SQL
package import SelfieAPI

/// Runs the owner's commands: in a running server, or on the storage of one that does not run. `OwnerCommand` lists
/// them, and OwnerUsers.swift, OwnerStatus.swift and the others of such names carry them out.
package struct OwnerConsole: Sendable {
  let application: Application
  /// Nil where no server runs.
  let server: RunningServer?
  /// Nil without BACKUP_DIR.
  let backups: ScheduledBackups?

  package init(_ application: Application, server: RunningServer? = nil, backups: ScheduledBackups? = nil) {
    (self.application, self.server, self.backups) = (application, server, backups ?? server?.backups)
  }

  /// Runs a command that is given as JSON. Every error becomes a reply.
  package func reply(to json: [UInt8]) async -> OwnerReply {
    do {
      return try await run(Self.command(json))
    } catch {
      let refusal = application.refusal(for: error)
      var reply = OwnerReply(StatusMessage.json(refusal.status.code, refusal.message))
      reply.head.status = refusal.status.code
      return reply
    }
  }

  static func command(_ json: [UInt8]) throws -> OwnerCommand {
    do {
      return try JSONReader.decode(from: json)
    } catch is DecodingError {
      throw APIError(
        .badRequest, "This server does not know the command. If it is older than this program, restart it.")
    }
  }

  func run(_ command: OwnerCommand) async throws -> OwnerReply {
    switch command {
    case .status: try await status()
    case .listUsers(let search, let limit): try await users(search ?? "", limit)
    case .similarEmails: try await similarEmails()
    case .showUser(let email): try await user(email)
    case .createUser(let email, let fullName, let password): try await createUser(email, fullName ?? "", password)
    case .deleteUser(let email): try await deleteUser(email)
    case .setPassword(let email, let password): try await setPassword(of: email, password)
    case .signOut(let email): try await signOut(email)
    case .disableUser(let email): try await setDisabled("user disable", at: application.clock(), email)
    case .enableUser(let email): try await setDisabled("user enable", at: nil, email)
    case .listTokens(let email, let limit): try await tokens(of: email, limit)
    case .revokeToken(let id): try await revokeToken(id)
    case .listPhotos(let email, let id, let limit): try await photos(of: email, before: id ?? .max, limit)
    case .showPhoto(let id): try await showPhoto(id)
    case .exportPhoto(let id): try await exportPhoto(id)
    case .deletePhoto(let id): try await deletePhoto(id)
    case .openPage(let address): try openPage(at: address)
    case .closePage: try closePage()
    case .activity: try await activity()
    case .why(let number): try await why(after: number)
    case .settings: try settings()
    case .constants: try constants()
    case .check: try await check()
    case .backup(let newLine, let newFolder): try await makeBackup(newLine: newLine, newFolder: newFolder)
    case .noteBackup(let time): try await noteBackup(at: time)
    }
  }

  /// Finishes the work of the owner's page, whose clients are gone. Blocks until then.
  package func stop() {
    server?.backupWork.shutDown()
    server?.slowWork.shutDown()
  }

  /// - Parameter need: what a server does that does not run.
  func requireServer(_ need: String = "has the owner's page") throws -> RunningServer {
    guard let server else {
      throw APIError(.conflict, "Only a running server \(need). Start the server first.")
    }
    return server
  }
}

extension OwnerConsole {
  /// A list as an array of JSON objects.
  ///
  /// - Parameters:
  ///   - rows: the query for the first `limit` elements.
  ///   - total: counts all elements.
  ///   - view: shows an element.
  func list<Record: RowRecord & Sendable, View: Encodable & SendableMetatype>(
    _ limit: Int64, _ rows: Query, total: Query, _ view: @escaping @Sendable (Record) -> View
  ) async throws -> OwnerReply {
    guard OwnerCommand.limits.contains(limit) else {
      throw APIError(.badRequest, "The limit must be from 1 to \(OwnerCommand.limits.upperBound).")
    }
    let records: [Record] = try await all(rows)
    let count = try await application.database.number(total, by: application.lists)
    return try await application.lists.run {
      try OwnerReply(of: records.map(view), total: count)
    }
  }

  /// All rows of a query. Many take a while to read, which must hold up no event loop.
  func all<Record: RowRecord & Sendable>(_ query: Query, as _: Record.Type = Record.self) async throws -> [Record] {
    try await application.database.all(query, by: application.lists)
  }

  /// The user of this address; nil for none.
  ///
  /// - Throws: 404 if there is no such user.
  @discardableResult
  func requireUser(_ email: String?) async throws -> User? {
    guard let email else { return nil }
    return try await found(application.users.find(email: email), email)
  }
}
