import ArgumentParser
import Glibc
import Platform
import SQLite
import SelfieAPI
import SelfieOperations

/// `selfie-server import`: takes over users and photos from the Rails original.
struct Import: Command {
  static let configuration = CommandConfiguration(
    abstract: "Bring over the users and photos of the Rails original.",
    discussion: """
      Without --write it only says what it would do. With --write, users keep their passwords and valid tokens, and \
      photos keep their addresses, so that apps stay signed in. It can be run again: what was imported before is left \
      alone. The server must not run meanwhile.

      The exit status is 0 if everything was or had been imported, 1 if something was refused, and 2 if the dump or \
      the folder of photos cannot be read.

      EXAMPLES
        selfie-server import --from railsauth.sql --photos s3/
        selfie-server import --from railsauth.sql --photos s3/ --write
      """)

  @Option(name: .customLong("from"), help: "A plain dump of the database, without INSERT: pg_dump --format=plain.")
  var dump: String

  @Option(help: "The folder with a copy of the S3 bucket.")
  var photos: String

  @Flag(help: "Import, rather than say what would be imported.")
  var write = false

  @Option(help: "\(SettingTable.all.maxPhotoBytes.flagHelp)")
  var maxPhotoBytes: String?

  @OptionGroup var options: StorageOptions

  func execute() throws {
    let settings = try options.settings([SettingTable.all.maxPhotoBytes.name: maxPhotoBytes])
    let dump = try readDump()
    WriteSignals.ignore()
    let pool = WorkerPool(name: "import", threads: Self.threads, waiting: Self.threads * 2)
    defer { pool.shutDown() }
    let plan =
      if let cluster = try ClusterStorage.open(settings, loops: 0) {
        try use(cluster, dump, settings, pool)
      } else {
        write ? try carryOut(dump, settings, pool) : try rehearse(dump, settings, pool)
      }
    Terminal.write(ImportReport(plan: plan, dump: dump, isWritten: write).text, to: STDOUT_FILENO)
    guard plan.refusals.isEmpty else { throw ExitCode(1) }
  }

  /// Each waits for the disk most of the time.
  private static let threads = 8

  private func carryOut(_ dump: RailsDump, _ settings: Settings, _ pool: WorkerPool) throws -> ImportPlan {
    let storage = try Storage(settings)
    let database = try storage.openDatabase(settings)
    defer { database.close() }
    let library = try PhotoLibrary(
      database: database, storage: storage.path, pool: pool, logger: StandardErrorLog.logger(settings))
    let importer = importer(of: dump, settings, .file(database), library.files, pool)
    return try Blocking.run {
      let plan = try await importer.plan()
      let line = ProgressLine()
      try await importer.carryOut(plan, into: library) { line.show(plan, photos: $0, bytes: $1) }
      line.clear()
      return plan
    }
  }

  /// Imports into a cluster, or says what would be imported.
  private func use(
    _ cluster: ClusterStorage, _ dump: RailsDump, _ settings: Settings, _ pool: WorkerPool
  ) throws -> ImportPlan {
    defer { cluster.close() }
    cluster.log(to: StandardErrorLog.logger(settings))
    let importer = importer(of: dump, settings, .shared(cluster.database), nil, pool)
    return try Blocking.run { [write] in
      let plan = try await importer.plan()
      guard write else { return plan }
      let line = ProgressLine()
      try await importer.carryOut(plan, into: cluster.database, cluster.objects) {
        line.show(plan, photos: $0, bytes: $1)
      }
      line.clear()
      return plan
    }
  }

  private func rehearse(_ dump: RailsDump, _ settings: Settings, _ pool: WorkerPool) throws -> ImportPlan {
    let signals = TerminationSignals()
    let isNew = settings.makesStorage && access(settings.storageDir, F_OK) != 0
    // Holds the lock until the end, so that no process changes the database while it is copied and compared.
    let storage = isNew ? nil : try Storage(settings)
    let copy = try DatabaseCopy(of: storage.map { StorageLayout(folder: $0.path).database })
    defer { copy.remove() }
    signals.exitOnNext { copy.remove() }
    let database = try Database(
      path: copy.path, migrations: .sqlite, now: unixMilliseconds(), keepsCopy: false)
    defer { database.close() }
    let files = PhotoFiles(storage: settings.storageDir)
    let importer = importer(of: dump, settings, .file(database), files, pool)
    return try Blocking.run { try await importer.plan() }
  }

  private func importer(
    of dump: RailsDump, _ settings: Settings, _ database: ApplicationDatabase, _ files: PhotoFiles?, _ pool: WorkerPool
  ) -> Importer {
    Importer(
      dump: dump, photos: photos, database: database, files: files, pool: pool, maxPhotoBytes: settings.maxPhotoBytes,
      now: unixMilliseconds())
  }

  // MARK: - What is read

  private static let unreadable = ExitCode(2)

  private func readDump() throws -> RailsDump {
    guard FileSystem.isFolder(photos) else {
      throw Self.unreadable("--photos is \(photos), and there is no such folder.")
    }
    do {
      // It may be a pipe, such as the output of gunzip.
      let descriptor = open(dump, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileError("open", dump) }
      let file = OpenFile(owning: descriptor)
      return try RailsDump { [dump] in try FileSystem.read(file, maxBytes: 256 * 1024, path: dump) }
    } catch let problems as DumpProblems {
      throw Self.unreadable("\(dump) cannot be imported, and nothing was changed:", problems.lines)
    } catch let error as FileError {
      throw Self.unreadable("\(dump) cannot be read: \(error.reason).")
    }
  }

  private static func unreadable(_ message: String, _ more: [String] = []) -> ExitCode {
    let lines = ["selfie-server: \(message)"] + more
    Terminal.write(lines.map { $0.printable + "\n" }.joined(), to: STDERR_FILENO)
    return unreadable
  }
}

extension ProgressLine {
  fileprivate func show(_ plan: ImportPlan, photos: Int, bytes: Int64) {
    show("Copying photos: \(photos) of \(plan.photos.taken), \(bytes) of \(plan.byteCount) bytes")
  }
}
