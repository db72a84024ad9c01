import Platform
import SQL
import SQLite
import SelfieAPI

/// Checks the storage: database, photos, permissions and free space. Unless it is told to repair, it changes nothing
/// and may run while a server does, whose work meanwhile it does not report as a problem.
///
/// Its memory does not grow with the photos: rows come a page at a time, files a folder at a time, and an issue is
/// reported as soon as it is made.
public final class StorageCheck {
  /// What to do besides checking.
  public struct Options: Sendable {
    /// Reads every photo and compares its digest.
    public var readsPhotos = true
    /// Repairs what can be repaired. Nobody else may use the storage meanwhile.
    public var repairs = false
    /// With `repairs`: deletes the rows of photos whose file is missing.
    public var dropsMissing = false

    /// How many seconds a server gets to remove the file of a photo that is deleted meanwhile.
    public var recheckDelay: UInt32 = 3

    public init() {}
  }

  /// An event that the check reports.
  public enum Event {
    case issue(StorageIssue)
    /// Something that the owner may want to know, and that nobody has to repair.
    case remark(String)
    /// Something could not be checked, for this reason.
    case failure(String)
  }

  /// How old an upload must be, in seconds, to be stale while a server runs. No upload lasts that long: its client
  /// would have to send less than a kilobyte a second.
  static let staleAge: Int64 = 86_400

  let options: Options
  let storage: String
  let files: PhotoFiles
  /// In Unix seconds.
  let now: Int64
  /// Whether a server runs on this storage at this moment.
  let isServed: () -> Bool
  private let migrations: Migrations
  private let report: (Event) -> Void
  public internal(set) var counts = CheckCounts()

  /// - Parameters:
  ///   - storage: the folder with the database and the photos.
  ///   - now: in Unix milliseconds.
  public init(
    storage: String, migrations: Migrations, options: Options, now: Int64, isServed: @escaping () -> Bool,
    report: @escaping (Event) -> Void
  ) {
    self.options = options
    self.storage = storage
    self.now = now / 1000
    self.isServed = isServed
    self.migrations = migrations
    self.report = report
    files = PhotoFiles(storage: storage)
  }

  /// Checks everything once.
  public func run() {
    guard (try? FileSystem.status(storage + "/."))?.kind == .folder else {
      return attempt { throw NoStorage(path: storage) }
    }
    attempt(checkPermissions)
    attempt(checkFreeSpace)
    attempt {
      let connection = try open()
      defer { connection.close() }
      attempt { try checkDatabase(connection) }
      guard try checkSchema(connection) else { return }
      attempt { try checkUploads(connection) }
      attempt { try checkRows(connection) }
      attempt { try checkFolders(connection) }
      attempt { try checkRemoved(connection) }
      attempt { try checkEmails(connection) }
      attempt { try checkNotes(connection) }
      attempt { try checkMicroblog(connection) }
    }
  }

  private func open() throws -> Connection {
    let path = files.layout.database
    guard try FileSystem.exists(path) else { throw NoDatabase(path: path) }
    return try Connection(path: path, mode: options.repairs ? .readWrite : .readOnly)
  }

  private struct NoStorage: Error, CustomStringConvertible {
    let path: String
    var description: String { "There is no folder \(path) that can be read. Set STORAGE_DIR to the server's." }
  }

  private struct NoDatabase: Error, CustomStringConvertible {
    let path: String
    var description: String { "There is no database \(path). A server makes it at its first start." }
  }

  private struct ForeignSchema: Error, CustomStringConvertible {
    var description: String { "The rest was not looked at: a database with another schema is not repaired." }
  }

  // MARK: - The database

  private func checkDatabase(_ connection: Connection) throws {
    let remedy =
      "Stop the server, and restore a backup or salvage what can be with: sqlite3 \(StorageLayout.database) .recover"
    for problem in try connection.integrityProblems() {
      found(.databaseDamage, StorageLayout.database, "\(problem). \(remedy)")
    }
    for problem in try connection.foreignKeyProblems() {
      found(.foreignKey, StorageLayout.database, "\(problem). Delete it, or restore a backup.")
    }
  }

  /// Whether the database has the schema that the other checks need.
  private func checkSchema(_ connection: Connection) throws -> Bool {
    let pending: [String]
    let differences: [String]
    do {
      pending = try migrations.pending(on: connection).map(\.name)
      differences = try migrations.schemaDifferences(on: connection)
    } catch {
      found(.schema, StorageLayout.database, "\(error). Its photos were not looked at.")
      return false
    }
    for difference in differences {
      found(.schema, StorageLayout.database, "\(difference). Restore a backup, or mend it with sqlite3.")
    }
    // A foreign trigger would run with the repair.
    guard differences.isEmpty || !options.repairs else { throw ForeignSchema() }
    if pending.isEmpty { return true }
    let names = pending.joined(separator: ", ")
    guard options.repairs else {
      found(
        .schema, StorageLayout.database,
        "it has not had \(names), so its photos were not looked at. The next start of the server runs that, or --repair."
      )
      return false
    }
    let upgrade = try migrations.upgrade(connection, at: files.layout.database, now: now * 1000)
    let copy = upgrade.copy.map { ". As it was before, it is in \($0)" } ?? ""
    found(.schema, StorageLayout.database, "it had not had \(names)\(copy)", isRepaired: true)
    return true
  }

  // MARK: - What the checks say

  func found(_ kind: StorageIssue.Kind, _ subject: String, _ message: String, isRepaired: Bool = false) {
    counts.findings += 1
    if isRepaired { counts.repaired += 1 }
    // A folder's name or the database's words may be anything.
    report(
      .issue(
        StorageIssue(kind: kind, subject: subject.printable, message: message.printable, isRepaired: isRepaired)))
  }

  func remark(_ text: String) { report(.remark(text.printable)) }

  /// Runs a check, and reports its error instead of throwing it, so that the other checks run too.
  func attempt(_ check: () throws -> Void) {
    do {
      try check()
    } catch {
      counts.failures += 1
      report(.failure("\(error)".printable))
    }
  }
}
