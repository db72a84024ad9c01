import ArgumentParser
import Glibc
import Platform
import SQLite
import SelfieAPI
import SelfieOperations

/// `selfie-server import`: takes over users and photos from the Rails original.
struct Import: Command {
  static let configuration = CommandConfiguration(
    "import", "Import the users and photos of the Rails backend.",
    discussion: """
      Without --write it only reports what it would do. Users keep their passwords and valid tokens, and photos their \
      ids, so apps stay signed in. You can repeat an import: what was imported before stays unchanged. Stop the server \
      first.

      The exit status is 0 if everything is imported, now or earlier, 1 if something was refused, and 2 if the dump or \
      the folder of photos cannot be read.
      """,
    examples: "import --from railsauth.sql --photos s3/", "import --from railsauth.sql --photos s3/ --write")

  @Option(name: .customLong("from"), help: "A dump of the database by pg_dump --format=plain, without --inserts.")
  var dump: String

  @Option(help: "The folder with a copy of the S3 bucket.")
  var photos: String

  @Flag(help: "Import, instead of only reporting what would be imported.")
  var write = false

  @Option(help: "\(SettingTable.all.maxPhotoBytes.flagHelp)")
  var maxPhotoBytes: String?

  @OptionGroup var options: StorageOptions

  func execute() throws {
    let settings = try options.settings([SettingTable.all.maxPhotoBytes.name: maxPhotoBytes])
    if settings.cluster == nil { try settings.requireAccess(writes: true) }
    let dump = try readDump()
    let plan: ImportPlan
    if let cluster = try ClusterStorage.open(settings, StandardErrorLog.logger(settings)) {
      defer { cluster.close() }
      plan = try self.plan(dump, settings, .shared(cluster.database), nil, for: .cluster(cluster))
    } else {
      plan = write ? try carryOut(dump, settings) : try rehearse(dump, settings)
    }
    let lines = report(plan, dump).map { $0.printable + "\n" }
    Terminal.write(lines.joined(), to: STDOUT_FILENO)
    guard plan.refusals.isEmpty else { throw ExitCode(1) }
  }

  private func carryOut(_ dump: RailsDump, _ settings: Settings) throws -> ImportPlan {
    try Storage.stopped(settings, mayBeNew: true).withLibrary(settings) { database, library in
      try plan(dump, settings, .file(database), library.files, for: .folder(library))
    }
  }

  /// Makes a plan and, with --write, carries it out.
  private func plan(
    _ dump: RailsDump, _ settings: Settings, _ database: ApplicationDatabase, _ files: PhotoFiles?,
    for target: Importer.Target? = nil
  ) throws -> ImportPlan {
    let importer = Importer(
      dump: dump, photos: photos, database: database, files: files, maxPhotoBytes: settings.maxPhotoBytes,
      now: unixMilliseconds())
    return try Blocking.run { [write] in
      let line = ProgressLine()
      defer { line.clear() }
      let plan = try await importer.plan(report: line.show)
      if write, let target { try await importer.carryOut(plan, into: target, report: line.show) }
      return plan
    }
  }

  private func rehearse(_ dump: RailsDump, _ settings: Settings) throws -> ImportPlan {
    let signals = try TerminationSignals()
    let isNew = settings.makesStorage && access(settings.storageDir, F_OK) != 0
    // Holds the lock until the end, so that no process changes the database while it is copied and compared.
    let storage = isNew ? nil : try Storage.stopped(settings, mayBeNew: true)
    // It holds password hashes, so it is for its owner only.
    let copy = StorageLayout(folder: try FileSystem.makeTemporaryFolder(prefix: "/tmp/selfie-server-"))
    let remove = { @Sendable in _ = try? FileSystem.removeTree(copy.folder) }
    defer { remove() }
    signals.exit(at: 1, after: remove)
    if let storage { try Storage.copyDatabase(of: StorageLayout(folder: storage.path), to: copy) }
    let database = try Database(
      path: copy.database, migrations: .sqlite, now: unixMilliseconds(), keepsCopy: false)
    defer { database.close() }
    return try plan(dump, settings, .file(database), PhotoFiles(storage: settings.storageDir))
  }

  // MARK: - Input

  private func readDump() throws -> RailsDump {
    guard FileSystem.isFolder(photos) else {
      throw Self.unreadable("--photos is \(photos), but there is no such folder.")
    }
    do {
      // It may be a pipe, such as the output of gunzip.
      let file = try OpenFile(dump, O_RDONLY)
      let (line, path) = (ProgressLine(), dump)
      defer { line.clear() }
      var byteCount: Int64 = 0
      return try RailsDump {
        line.show(Progress("Reading the dump", bytes: byteCount))
        let bytes = try FileSystem.read(file, maxBytes: 256 * 1024, path: path)
        byteCount += Int64(bytes.count)
        return bytes
      }
    } catch let problems as DumpProblems {
      throw Self.unreadable("\(dump) cannot be imported. Nothing was changed:", problems.lines)
    } catch let error as FileError {
      let advice = "is pg_dump's directory format. Make a plain dump: pg_restore -f plain.sql \(dump)"
      throw Self.unreadable("\(dump) " + (error.number == EISDIR ? advice : "cannot be read: \(error.reason)."))
    }
  }

  private static func unreadable(_ message: String, _ more: [String] = []) -> ExitCode {
    let lines = ["selfie-server: \(message)"] + more
    Terminal.write(lines.map { $0.printable + "\n" }.joined(), to: STDERR_FILENO)
    return ExitCode(2)
  }
}

// MARK: - Output

extension Import {
  private func report(_ plan: ImportPlan, _ dump: RailsDump) -> [String] {
    var lines: [String] = []
    if !plan.refusals.isEmpty {
      lines.append("Not imported:")
      lines += plan.refusals.map { "  line \($0.line): \($0.subject): \($0.reason)" }
    }
    lines.append("Users:  " + Self.text(plan.users))
    let ended = plan.tokens.ended
    lines.append(
      "Tokens: \(Self.text(plan.tokens)), \(plan.tokens.expired) expired"
        + (ended > 0 ? ", \(ended) ended here since an earlier import" : ""))
    lines.append(
      "Photos: \(Self.text(plan.photos)); \(counted(plan.byteCount, "byte")) \(write ? "copied" : "to copy")")
    if plan.users.newIDs + plan.photos.newIDs > 0 {
      lines.append(
        "New ids, because theirs are taken here: \(counted(plan.users.newIDs, "user")), "
          + counted(plan.photos.newIDs, "photo"))
    }
    if dump.users.isEmpty { lines.append("The dump's table users has no rows.") }
    if !dump.hasPhotos { lines.append("The dump has no table photos.") }
    if !dump.skipped.isEmpty {
      let tables = dump.skipped.map { "\($0.table) (\(counted($0.rows, "row")))" }
      lines.append("Tables skipped: " + tables.joined(separator: ", "))
    }
    return lines + (write ? [] : ["Nothing was written. Add --write to import this."])
  }

  private static func text(_ counts: ImportPlan.Counts) -> String {
    "\(counts.taken) new, \(counts.alreadyThere) already there, \(counts.refused) refused"
  }
}
