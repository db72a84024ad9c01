import ArgumentParser
import Glibc
import Platform
import SQL
import SQLite
import SelfieAPI
import SelfieOperations

/// `selfie-server import`: takes over users and photos from the Rails original. `Importer` in SelfieOperations does the
/// work.
struct Import: Command {
  static let configuration = CommandConfiguration(
    "import", "Import the users and photos of the Rails backend.",
    discussion: """
      Without --write it only reports what it would do. Users keep their passwords and valid tokens, and photos their \
      ids, so apps stay signed in. The storage must be empty. Stop the server first.

      The exit status is 0 if everything is imported, 1 if something was refused, and 2 if the dump or the folder of \
      photos cannot be read.
      """,
    examples: "import --from railsauth.sql --photos s3/", "import --from railsauth.sql --photos s3/ --write")

  @Option(name: .customLong("from"), help: "A dump of the database by pg_dump --format=plain, without --inserts.")
  var dump: String

  @Option(help: "The folder with a copy of the S3 bucket.")
  var photos: String

  @Flag(help: "Import, instead of only reporting what would be imported.")
  var write = false

  @OptionGroup var options: StorageOptions

  func execute() throws {
    let settings = try options.settings()
    if settings.cluster == nil { try settings.requireAccess(writes: true) }
    let now = unixMilliseconds()
    let dump = try readDump(now: now)
    let importer = Importer(dump: dump, photos: photos, maxPhotoBytes: settings.maxPhotoBytes, now: now)
    let plan: ImportPlan
    if let cluster = try ClusterStorage.open(settings, StandardErrorLog.logger(settings)) {
      defer { cluster.close() }
      plan = try run(importer, into: .cluster(cluster))
    } else if write {
      plan = try Storage.stopped(settings, mayBeNew: true).withLibrary(settings) { database, library in
        try run(importer, into: .folder(database, library))
      }
    } else {
      try Importer.requireNoUsers(userCount(settings))
      plan = try ProgressLine.during { try importer.plan(report: $0.show) }
    }
    let lines = report(plan, dump).map { $0.printable + "\n" }
    Terminal.write(lines.joined(), to: STDOUT_FILENO)
    guard plan.refusals.isEmpty else { throw ExitCode(1) }
  }

  private func run(_ importer: Importer, into target: Importer.Target) throws -> ImportPlan {
    try ProgressLine.during { line in
      try Blocking.run { [write] in try await importer.run(into: target, writes: write, report: line.show) }
    }
  }

  /// Counts the users of a storage without bringing its database up to date.
  private func userCount(_ settings: Settings) throws -> Int64 {
    if settings.makesStorage, access(settings.storageDir, F_OK) != 0 { return 0 }
    let storage = StorageLayout(folder: try Storage.stopped(settings, mayBeNew: true).path)
    return try Storage.readDatabase(of: storage) { database in
      let isEmpty = try Migrations.sqlite.pending(on: database).count == Migrations.sqlite.steps.count
      return try isEmpty ? 0 : database.first(UserStore.count, as: Int64.self) ?? 0
    } ?? 0
  }

  // MARK: - Input

  private func readDump(now: Int64) throws -> RailsDump {
    guard FileSystem.isFolder(photos) else {
      throw Self.unreadable("--photos is \(photos), but there is no such folder.")
    }
    do {
      // It may be a pipe, such as the output of gunzip.
      let file = try OpenFile(dump, O_RDONLY)
      var byteCount: Int64 = 0
      return try ProgressLine.during { line in
        try RailsDump(now: now) { [dump] in
          line.show(Progress("Reading the dump", bytes: byteCount))
          let bytes = try FileSystem.read(file, maxBytes: 256 * 1024, path: dump)
          byteCount += Int64(bytes.count)
          return bytes
        }
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
    lines.append("Tokens: \(Self.text(plan.tokens)), \(plan.tokens.expired) expired")
    lines.append(
      "Photos: \(Self.text(plan.photos)); \(HumanValue.bytes(plan.byteCount)) \(write ? "copied" : "to copy")")
    if dump.users.isEmpty { lines.append("The dump's table users has no rows.") }
    if !dump.hasPhotos { lines.append("The dump has no table photos.") }
    if !dump.skipped.isEmpty {
      let tables = dump.skipped.map { "\($0.table) (\(counted($0.rows, "row")))" }
      lines.append("Tables skipped: " + tables.joined(separator: ", "))
    }
    return lines + (write ? [] : ["Nothing was written. Add --write to import this."])
  }

  private static func text(_ counts: ImportPlan.Counts) -> String {
    "\(counts.taken) new, \(counts.refused) refused"
  }
}
