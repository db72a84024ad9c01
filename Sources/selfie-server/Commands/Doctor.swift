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
