import ArgumentParser
import Glibc
import HTTPMessages
import Platform
import SelfieAPI
import SelfieOperations

/// `selfie-server doctor`: checks the storage, and repairs it if asked to. `StorageCheck` and `ClusterCheck` in
/// SelfieOperations do the work, and `DoctorReport` below prints what they find.
struct Doctor: Command {
  static let configuration = CommandConfiguration(
    "doctor", "Check the database and the photos, and repair them if asked to.",
    discussion: """
      Without --repair nothing changes, and the server may keep running. In a cluster, doctor checks the shared \
      database and object store; servers may keep running even during a repair. The exit status is 0 if everything is \
      in order or was repaired, 1 if something is not in order, and 2 if something could not be checked.
      """,
    examples: "doctor", "doctor --quick --json", "doctor --repair")

  @Flag(
    help: """
      Repair what can be repaired. Stop the server first, unless it is part of a cluster. Whatever has to go is moved \
      to lost+found, rows as lines of JSON and, on a folder, after a copy of the database. Deletes only photos that a \
      client has deleted and, in a cluster, objects that unfinished uploads left behind.
      """)
  var repair = false

  @Flag(help: "With --repair: take the rows of photos whose file is missing out of the database.")
  var dropMissing = false

  @Flag(help: "With --repair: do not ask before more than ten things and a tenth of all are taken away.")
  var yes = false

  @Option(
    help: ArgumentHelp(
      """
      Copy what can be read of a storage with a damaged database into a new folder, and name what cannot. The storage \
      itself does not change. Stop the server first.
      """, valueName: "folder"))
  var salvage: String?

  @Flag(help: "Do not read the photos or compare their digests.")
  var quick = false

  @Flag(help: "Print one JSON object.")
  var json = false

  @Option(help: "With --json: the maximum number of findings to list. All are counted. (default: all)")
  var maxFindings: Int?

  @OptionGroup var options: StorageOptions

  func validate() throws {
    guard repair || !dropMissing else { throw ValidationError("--drop-missing requires --repair.") }
    guard salvage == nil || !repair && !quick && !json else {
      throw ValidationError("--salvage cannot be combined with --repair, --quick or --json.")
    }
    guard repair || !yes else { throw ValidationError("--yes requires --repair.") }
    guard maxFindings.map({ json && $0 >= 0 }) ?? true else {
      throw ValidationError("--max-findings must be a number of at least 0, and requires --json.")
    }
  }

  func execute() throws {
    // Only the owner may read the files that SQLite may have to make next to the database.
    umask(0o077)
    if let salvage { return try copyReadable(into: salvage) }
    let report = DoctorReport(isJSON: json, maxFindings: maxFindings ?? .max)
    var counts = CheckCounts()
    do {
      let settings = try options.settings()
      if let cluster = try ClusterStorage.connect(settings) {
        defer { cluster.close() }
        counts = try check(cluster, settings, report)
      } else {
        counts = try checkFolder(settings, report)
      }
    } catch {
      counts.failures += 1
      report.add(.failure("\(error)"))
    }
    try report.end(counts)
  }

  private func copyReadable(into folder: String) throws {
    let settings = try options.settings()
    try settings.requireFiles(for: "doctor --salvage", writes: false)
    let storage = settings.storageDir
    guard !Storage.isHeld(storage) else { throw StorageInUse(path: storage, lock: StorageLayout(folder: storage).lock) }
    let losses = Monitor(0)
    let salvage = StorageSalvage(of: storage, into: folder, now: unixMilliseconds()) { line in
      losses.withLock { $0 += 1 }
      Terminal.writeLines("lost: \(line)", to: STDERR_FILENO)
    }
    let saved = try salvage.run()
    Terminal.writeLines(
      """
      \(folder) has \(counted(saved.users, "user")) and \(counted(saved.photos, "photo")). Check it with selfie-server doctor \
      --storage-dir \(folder), then move it to the place of \(storage).
      """, to: STDOUT_FILENO)
    if losses.withLock({ $0 }) > 0 { throw ExitCode.failure }
  }

  private func checkFolder(_ settings: Settings, _ report: DoctorReport) throws -> CheckCounts {
    try settings.requireAccess(writes: repair)
    let path = settings.storageDir
    var check = StorageCheck(
      storage: path, now: unixMilliseconds(), isServed: { Storage.isHeld(path) }, report: report.add)
    check.readsPhotos = !quick
    check.repairs = repair
    check.dropsMissing = dropMissing
    check.confirm = { [yes] in try confirm($0, isAgreed: yes) }
    check.maxPhotoBytes = settings.maxPhotoBytes
    if repair {
      try StorageLayout(folder: path).requireStorage()
      // Takes the lock until the process ends.
      _ = try Storage(path: path, makesFolder: false, logger: nil)
    }
    return try Blocking.run { [check] in await check.run() }
  }

  private func check(_ cluster: ClusterStorage, _ settings: Settings, _ report: DoctorReport) throws -> CheckCounts {
    guard !dropMissing else {
      throw ConfigurationError(
        """
        --drop-missing works only on a storage folder, but DATABASE_URL is set: with a wrong bucket, every photo would \
        look lost. To delete a photo whose object is lost for good, run selfie-server photo delete.
        """)
    }
    let bytes = cluster.objects.bytes(
      of: cluster.database, sweepAfter: cluster.sweepAfter, logger: StandardErrorLog.logger(settings))
    var check = ClusterCheck(
      of: cluster, storage: settings.storageDir, readsPhotos: !quick, repairs: repair ? bytes : nil, report: report.add)
    check.confirm = { [yes] in try confirm($0, isAgreed: yes) }
    return try Blocking.run { [check] in await check.run() }
  }
}

/// Prints the findings of a check as they come. If their reader goes away, the check goes on for its exit status.
/// `Findings` in SelfieOperations counts the findings.
final class DoctorReport: Sendable {
  /// JSON has the texts of this many failures, and counts the others.
  private static let maxFailures = 100

  /// The parts of the JSON that follow the findings, which are written at once.
  private struct State {
    var remarks: [String] = []
    var failures: [String] = []
    var listedFindings = 0
  }

  private let isJSON: Bool
  private let line = ProgressLine()
  /// How many findings JSON may list.
  private let maxFindings: Int
  private let state = Monitor(State())

  init(isJSON: Bool, maxFindings: Int = .max) {
    self.isJSON = isJSON
    self.maxFindings = maxFindings
    if isJSON { Terminal.write(json: Array("{\"findings\":[".utf8)) }
  }

  func add(_ event: CheckEvent) {
    if case .progress = event {} else { line.clear() }
    switch event {
    // A terminal that shows JSON has no line to spare.
    case .progress(let progress): if !isJSON { line.show(progress) }
    case .issue(let issue) where isJSON:
      let number = state.withLock { state in
        state.listedFindings += 1
        return state.listedFindings
      }
      guard number <= maxFindings else { return }
      Terminal.write(json: (number == 1 ? [] : [UInt8(ascii: ",")]) + ((try? JSONWriter.encode(issue)) ?? []))
    case .issue(let issue): Terminal.writeLines(issue.line, to: STDOUT_FILENO)
    case .remark(let text) where isJSON: state.withLock { $0.remarks.append(text) }
    case .remark(let text): Terminal.writeLines("note: \(text)", to: STDOUT_FILENO)
    case .failure(let text):
      Terminal.writeLines("selfie-server: \(text)", to: STDERR_FILENO)
      state.withLock { if $0.failures.count < Self.maxFailures { $0.failures.append(text) } }
    }
  }

  /// Ends the report.
  ///
  /// - Throws: `ExitCode`, unless the status is 0.
  func end(_ counts: CheckCounts) throws {
    line.clear()
    if isJSON {
      let state = state.withLock { $0 }
      try Terminal.writeJSON(
        Array("],\"remarks\":".utf8) + JSONWriter.encode(state.remarks) + Array(",\"failures\":".utf8)
          + JSONWriter.encode(state.failures) + Array(",\"counts\":".utf8) + JSONWriter.encode(counts) + Array("}".utf8)
      )
    } else {
      Terminal.writeLines(Self.summary(counts), to: STDOUT_FILENO)
    }
    if counts.failures > 0 { throw ExitCode(2) }
    if counts.findings > counts.repaired { throw ExitCode(1) }
  }

  private static func summary(_ counts: CheckCounts) -> String {
    var parts = ["Checked \(counted(counts.photos, "photo")), and read \(counts.digests) of them."]
    if counts.photosWithoutDigest > 0 {
      parts.append(
        "Without a digest yet: \(counts.photosWithoutDigest). A running server computes it within seconds, as does --repair."
      )
    }
    let texts = [(counts.notes, "note"), (counts.blogposts, "post")].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    if !texts.isEmpty { parts.append("Checked \(texts.joined(separator: " and ")).") }
    let left = counts.findings - counts.repaired
    let numbers = [
      ("Uploads in progress", counts.uploadsUnderWay), ("Repaired", counts.repaired),
      (counts.repaired > 0 ? "Still not in order" : "Not in order", left),
    ]
    parts += numbers.filter { $0.1 > 0 }.map { "\($0): \($1)." }
    if counts.failures > 0 { parts.append("Not everything could be checked.") }
    if counts.failures + counts.findings == 0 { parts.append("Everything is in order.") }
    return parts.joined(separator: " ")
  }
}
