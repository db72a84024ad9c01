import ArgumentParser
import Glibc
import Platform
import SelfieAPI
import SelfieOperations

/// `selfie-server doctor`: checks the storage, and repairs it if asked to. `StorageCheck` and `ClusterCheck` in
/// SelfieOperations do the work.
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
      Repair what can be repaired. Stop the server first, unless it is part of a cluster. Deletes only photos that a \
      client has deleted, leftovers of unfinished uploads in a cluster, and sessions that can no longer be used.
      """)
  var repair = false

  @Flag(help: "With --repair: delete the rows of photos whose file is missing.")
  var dropMissing = false

  @Flag(help: "Do not read the photos or compare their digests.")
  var quick = false

  @Flag(help: "Print one JSON object.")
  var json = false

  @Option(help: "With --json: the maximum number of findings to list. All are counted. (default: all)")
  var maxFindings: Int?

  @OptionGroup var options: StorageOptions

  func validate() throws {
    guard repair || !dropMissing else { throw ValidationError("--drop-missing requires --repair.") }
    guard maxFindings.map({ json && $0 >= 0 }) ?? true else {
      throw ValidationError("--max-findings must be a number of at least 0, and requires --json.")
    }
  }

  func execute() throws {
    // Only the owner may read the files that SQLite may have to make next to the database.
    umask(0o077)
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

  private func checkFolder(_ settings: Settings, _ report: DoctorReport) throws -> CheckCounts {
    try settings.requireAccess(writes: repair)
    let path = settings.storageDir
    // Takes the lock until the process ends.
    if repair { _ = try Storage(path: path, makesFolder: false, closes: false) }
    var check = StorageCheck(
      storage: path, now: unixMilliseconds(), isServed: { Storage.isHeld(path) }, report: report.add)
    check.readsPhotos = !quick
    check.repairs = repair
    check.dropsMissing = dropMissing
    check.maxPhotoBytes = settings.maxPhotoBytes
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
    let check = ClusterCheck(of: cluster, readsPhotos: !quick, repairs: repair ? bytes : nil, report: report.add)
    return try Blocking.run { await check.run() }
  }
}
