import ArgumentParser
import Cryptography
import Glibc
import HTTPMessages
import Logging
import SelfieOperations
import SQLite
import SelfieAPI
import Platform

/// `selfie-server import`: users and photos of the Rails original.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring over the users and photos of the Rails original.",
    discussion: """
      Without --write it only says what it would do. With it, users keep their passwords and live tokens, and photos \
      their addresses, so that apps stay signed in. It can be run again: what is there already is left alone. No server \
      may run meanwhile.

      The status is 0 when everything is taken or already there, 1 when something was refused, and 2 when the dump or \
      the folder of photos cannot be read.
      """)

  @Option(name: .customLong("from"), help: "A plain dump of the database: pg_dump --format=plain.")
  var dump: String

  @Option(help: "The folder with a copy of the S3 bucket.")
  var photos: String

  @Flag(help: "Import, rather than say what would be imported.")
  var write = false

  @OptionGroup var options: SettingsOptions

  func run() throws {
    do {
      let settings = try Settings(SettingSources(flags: options.given, file: options.config))
      let migrations = try Migrations(directory: MigrationsFolder.find(chosen: settings.migrationsDir)) {
        Digest.hex(Digest.sha256($0))
      }
      let dump = try readDump()
      // A write beyond what a file may have is an error to tell, like a full disk. And who reads only the first lines
      // of the report is to learn the status, too.
      signal(SIGXFSZ, SIG_IGN)
      signal(SIGPIPE, SIG_IGN)
      let plan =
        write ? try carryOut(dump, settings, migrations) : try rehearse(dump, settings, migrations)
      Terminal.write(ImportReport(plan: plan, dump: dump, isWritten: write).text, to: STDOUT_FILENO)
      guard plan.refusals.isEmpty else { throw ExitCode(1) }
    } catch let error as ExitCode {
      throw error
    } catch {
      throw ExitCode.failure(error)
    }
  }

  /// Threads that wait for the disk.
  private static let threads = 8

  private func carryOut(_ dump: RailsDump, _ settings: Settings, _ migrations: Migrations) throws -> ImportPlan {
    let storage = try Storage(path: settings.storageDir, makesFolder: !settings.storageIsChosen)
    let lane = WorkerPool(name: "import", threads: Self.threads, waiting: Self.threads * 2)
    defer { lane.shutDown() }
    let database = try Database(
      path: Application.databasePath(in: storage.path), migrations: migrations, now: unixMilliseconds())
    defer { database.close() }
    let logger = Logger(label: "selfie-server") { _ in
      StandardErrorLog(level: settings.logLevel, format: settings.logFormat)
    }
    database.upgrade.log(to: logger)
    let library = try PhotoLibrary(database: database, storage: storage.path, lane: lane, logger: logger)
    let importer = importer(of: dump, settings, database, lane)
    return try Blocking.run {
      let plan = try await importer.plan()
      let line = ProgressLine()
      try await importer.carryOut(plan, into: library) { photos, bytes in
        line.show("Copying photos: \(photos) of \(plan.photos.taken), \(bytes) of \(plan.byteCount) bytes")
      }
      line.clear()
      return plan
    }
  }

  private func rehearse(_ dump: RailsDump, _ settings: Settings, _ migrations: Migrations) throws -> ImportPlan {
    let signals = TerminationSignals()
    let isNew = !settings.storageIsChosen && access(settings.storageDir, F_OK) != 0
    // Held until the end: nobody changes the database while it is copied and compared.
    let storage = isNew ? nil : try Storage(path: settings.storageDir, makesFolder: false)
    let copy = try DatabaseCopy(of: storage.map { Application.databasePath(in: $0.path) })
    defer { copy.remove() }
    signals.exitOnNext { copy.remove() }
    let lane = WorkerPool(name: "import", threads: 1, waiting: 1)
    defer { lane.shutDown() }
    let database = try Database(
      path: copy.path, migrations: migrations, now: unixMilliseconds(), keepsCopy: false)
    defer { database.close() }
    let importer = importer(of: dump, settings, database, lane)
    return try Blocking.run { try await importer.plan() }
  }

  private func importer(
    of dump: RailsDump, _ settings: Settings, _ database: Database, _ lane: WorkerPool
  ) -> Importer {
    Importer(
      dump: dump, photos: photos, storage: settings.storageDir, database: database, lane: lane,
      maxPhotoBytes: settings.maxPhotoBytes, now: unixMilliseconds())
  }

  // MARK: - What is read

  private static let unreadable = ExitCode(2)

  private func readDump() throws -> RailsDump {
    guard FileSystem.isFolder(photos) else {
      throw Self.unreadable("--photos is \(photos), and there is no such folder.")
    }
    do {
      guard let file = try FileSystem.open(dump) else { throw FileError("open", dump, number: ENOENT) }
      return try RailsDump { [dump] in try FileSystem.read(file, maxBytes: 256 * 1024, path: dump) }
    } catch let problems as DumpProblems {
      throw Self.unreadable("\(dump) cannot be imported, and nothing was changed:", problems.lines)
    } catch let error as FileError {
      throw Self.unreadable("\(dump) cannot be read: \(error.reason).")
    }
  }

  private static func unreadable(_ message: String, _ more: [String] = []) -> ExitCode {
    let lines = ["selfie-server: \(message)"] + more
    Terminal.write(lines.map { ImportReport.printable($0) + "\n" }.joined(), to: STDERR_FILENO)
    return unreadable
  }
}
