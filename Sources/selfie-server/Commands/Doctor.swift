import ArgumentParser
import Cryptography
import Glibc
import Platform
import SQLite
import SelfieAPI
import SelfieOperations

/// `selfie-server doctor`: whether everything that is kept is as it should be.
struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Look whether database and photos are sound, and repair them if asked to.",
    discussion: """
      Without --repair nothing is changed, and the server may go on. Ends with 0 if everything is in order (or is \
      again), with 1 if something is not, with 2 if something could not be looked at.
      """)

  @Flag(help: "Put right what can be; stop the server first. Nothing is deleted but what a client has deleted.")
  var repair = false

  @Flag(help: "With --repair: delete the rows of photos whose file is missing.")
  var dropMissing = false

  @Flag(help: "Do not read the photos: their digests are not compared.")
  var quick = false

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var options: SettingsOptions

  func validate() throws {
    guard repair || !dropMissing else { throw ValidationError("--drop-missing is for --repair.") }
  }

  func run() throws {
    // What SQLite may have to make to read a database is for the owner only, too.
    umask(0o077)
    // Whoever reads only the first lines must not end a repair in the middle.
    signal(SIGPIPE, SIG_IGN)
    let report = DoctorReport(isJSON: json)
    do {
      let settings = try Settings(SettingSources(flags: options.given, file: options.config))
      let migrations = try Migrations(directory: MigrationsFolder.find(chosen: settings.migrationsDir)) {
        Digest.hex(Digest.sha256($0))
      }
      let path = settings.storageDir
      // For as long as the process lives.
      if repair { _ = try Storage(path: path, makesFolder: false) }
      var options = StorageCheck.Options()
      options.readsPhotos = !quick
      options.repairs = repair
      options.dropsMissing = dropMissing
      let check = StorageCheck(
        storage: path, migrations: migrations, options: options, now: unixMilliseconds(),
        isServed: { Storage.isHeld(path) }, report: report.add)
      check.run()
      report.counts = check.counts
    } catch {
      report.counts.failures += 1
      report.add(.failure("\(error)"))
    }
    report.end()
    guard let status = report.exitCode else { return }
    throw status
  }
}

/// Prints what a check tells, as it comes.
private final class DoctorReport {
  /// Failures that JSON tells the words of; it counts the others.
  private static let mostFailures = 100

  private let isJSON: Bool
  var counts = CheckCounts()
  private var failures: [[UInt8]] = []
  private var isFirst = true

  init(isJSON: Bool) {
    self.isJSON = isJSON
    if isJSON { write(Array("{\"findings\":[".utf8)) }
  }

  func add(_ event: StorageCheck.Event) {
    switch event {
    case .finding(let finding) where isJSON:
      write((isFirst ? [] : [UInt8(ascii: ",")]) + finding.json)
      isFirst = false
    case .finding(let finding): write(Array("\(finding.line)\n".utf8))
    case .failure(let text):
      Terminal.write("selfie-server: \(text)\n", to: STDERR_FILENO)
      if failures.count < Self.mostFailures { failures.append(CheckCounts.json(text: text)) }
    }
  }

  func end() {
    if isJSON {
      let failures = Array(failures.joined(separator: [UInt8(ascii: ",")]))
      write(Array("],\"failures\":[".utf8) + failures + Array("],\"counts\":".utf8) + counts.json + Array("}\n".utf8))
    } else {
      write(Array("\(summary)\n".utf8))
    }
  }

  /// Nil for 0.
  var exitCode: ExitCode? {
    if counts.failures > 0 { return ExitCode(2) }
    return counts.findings > counts.repaired ? ExitCode(1) : nil
  }

  private var summary: String {
    var parts = ["Looked at \(counts.photos) photos, and read \(counts.digests) of them."]
    if counts.photosWithoutDigest > 0 {
      parts.append(
        "\(counts.photosWithoutDigest) have no digest yet: a running server notes it within seconds, or --repair.")
    }
    if counts.uploadsUnderWay > 0 { parts.append("Uploads under way: \(counts.uploadsUnderWay).") }
    if counts.failures > 0 { parts.append("Not everything could be looked at.") }
    let left = counts.findings - counts.repaired
    switch (counts.repaired, left) {
    case (0, 0): if counts.failures == 0 { parts.append("Everything is in order.") }
    case (_, 0): parts.append("Repaired: \(counts.repaired).")
    case (0, _): parts.append("Not in order: \(left).")
    default: parts.append("Repaired: \(counts.repaired); still not in order: \(left).")
    }
    return parts.joined(separator: " ")
  }

  private func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // Nobody reads it any more: the exit status says enough.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
