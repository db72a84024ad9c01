import ArgumentParser
import Cryptography
import Glibc
import Platform
import SQLite
import SelfieAPI
import SelfieOperations

/// `selfie-server move`: moves everything between the storage folder and a cluster. `Move` in SelfieOperations does the
/// work.
struct MoveCommand: Command {
  static let configuration = CommandConfiguration(
    "move", "Move everything from the storage folder to a cluster, or back.",
    discussion: """
      The cluster is the PostgreSQL database and the bucket that DATABASE_URL and the S3_ settings name. Only \
      selfie-server-cluster can use it. Users keep their ids, passwords and tokens, and photos their ids, so apps stay \
      signed in. Stop all servers first. The target must be empty. The source keeps its data.

      If the move is interrupted, run the command again to continue. The copy of each photo is read and compared \
      before its row is written, and at the end all rows are compared.
      """,
    examples: "move --to-cluster", "move --from-cluster --storage-dir /var/lib/selfie-server")

  @Flag(help: "Move from the storage folder to the cluster.")
  var toCluster = false

  @Flag(help: "Move from the cluster to the storage folder.")
  var fromCluster = false

  @Flag(
    help: """
      Skip what cannot be moved: rows with a NUL character or invalid UTF-8, photos whose bytes are lost or damaged, \
      and everything that belongs to skipped users. The exit status is then 1.
      """)
  var skipInvalid = false

  @OptionGroup var options: StorageOptions

  func validate() throws {
    guard toCluster != fromCluster else { throw ValidationError("Pass either --to-cluster or --from-cluster.") }
  }

  func execute() throws {
    let settings = try options.settings()
    guard let address = settings.cluster else {
      throw ConfigurationError(
        "DATABASE_URL and the S3_ settings are not set. Set them for the cluster, and use selfie-server-cluster.")
    }
    // Takes the lock until the process ends.
    let storage = try Storage.stopped(settings, mayBeNew: fromCluster)
    guard let cluster = try ClusterStorage.open(settings, StandardErrorLog.logger(settings)) else { return }
    defer { cluster.close() }
    let layout = StorageLayout(folder: storage.path)
    let database = try storage.openDatabase(settings)
    defer { database.close() }
    let summary = try move(database, at: storage.path, cluster)
    if toCluster {
      try FileSystem.replace(
        layout.moved, with: Array("Everything was moved to PostgreSQL and to the \(address).\n".utf8))
    } else {
      try FileSystem.remove(layout.moved)
    }
    Terminal.writeLines(text(summary, address, layout), to: STDOUT_FILENO)
    if summary.problems > 0 { throw ExitCode(1) }
  }

  private func move(_ database: Database, at path: String, _ cluster: ClusterStorage) throws -> MoveSummary {
    try ProgressLine.during { line in
      let move = Move(
        toCluster: toCluster, database: database, files: PhotoFiles(storage: path), cluster: cluster,
        skipsInvalid: skipInvalid, progress: line.show
      ) { problem in
        line.clear()
        Terminal.writeLines("\(problem)", to: STDERR_FILENO)
      }
      return try Blocking.run { try await move.run() }
    }
  }

  // MARK: - Output

  private func text(_ summary: MoveSummary, _ address: ClusterSettings, _ layout: StorageLayout) -> String {
    let table = Terminal.table(
      [.text("On both sides"), .number("Rows"), .whole("SHA-256")],
      summary.tables.map { [$0.name, "\($0.rowCount)", Digest.hex($0.sha256)] })
    let left = summary.problems == 0 ? "" : "Skipped: \(counted(summary.problems, "row")), listed above.\n"
    let photos = "Photos: \(HumanValue.bytes(summary.photoBytes)), each read on both sides.\n"
    return table + photos + left + "\n" + (toCluster ? afterMove(to: address, layout) : afterMove(to: layout))
  }

  private func afterMove(to layout: StorageLayout) -> String {
    """
    Everything is in \(layout.folder). Remove DATABASE_URL and the S3_ settings, keep API_AUTH_NAME and
    API_AUTH_PASSWORD, and start selfie-server. The cluster still has its copy.
    """
  }

  private func afterMove(to address: ClusterSettings, _ layout: StorageLayout) -> String {
    let credentials = (try? FileSystem.exists(layout.credentials)) == true ? "as in \(layout.credentials)" : "as now"
    return """
      Everything is in PostgreSQL and in the \(address). Start selfie-server-cluster on each machine with
      - DATABASE_URL and the S3_ settings as for this command,
      - API_AUTH_NAME and API_AUTH_PASSWORD: \(credentials). All servers need the same ones.
      \(layout.folder) still has its copy. No server starts on it unless DATABASE_URL is set. Delete it when you trust the \
      cluster and its backups.
      """
  }
}
