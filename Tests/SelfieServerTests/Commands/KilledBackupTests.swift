import Foundation
import Glibc
import SelfieOperations
import TestSupport
import Testing
import Torture

/// Commands about backups that are killed before each of their steps: each file that is made, renamed, removed or synced. What
/// was whole stays whole, and the same command then completes the work.
@Suite(.timeLimit(.minutes(10))) struct KilledBackupTests {
  private let folder: TemporaryFolder
  private let library: String
  /// The bytes of the photos of the storage, by their paths, and the path of one that only the first backup has.
  private let photos: [String: [UInt8]]
  private let deleted: String
  private static let backups = ["BACKUP_DIR": "backups", "BACKUP_KEEP": "1"]
  private static let other = ["STORAGE_DIR": "other"]
  private static let restoredNames = ["credentials.env", "incoming", "lock", "photos", "selfie.sqlite3"]
  private static let tooManySteps = 500

  /// A storage with two photos, one of which is not in its only backup, and which lacks one that is.
  init() async throws {
    let server = try ServerProcess()
    folder = server.folder
    try folder.makeFolder("backups")
    let app = try await server.appOfNewUser()
    let old = try await app.postBtnTapped(image: PNG.random(600_000)).id
    _ = try await app.postBtnTapped(image: PNG.random(1000))
    // By the command: the server of this test does not know BACKUP_DIR.
    await server.stop()
    try await folder.run("backup", environment: Self.backups)
    try await folder.run("photo delete \(old) --yes")
    let again = try ServerProcess(in: folder)
    _ = try await again.app(token: app.token).postBtnTapped(image: PNG.random(2000))
    await again.stop()
    photos = try Dictionary(
      uniqueKeysWithValues: again.folder.files(in: "storage/photos").map {
        ($0, try again.folder.bytes(of: "storage/photos/\($0)"))
      })
    deleted = "\(old.prefix(2))/\(old)"
    library = try FaultsLibrary.build("\(checkout)/Tests/Faults/Faults.c", in: folder.path)
    try keep()
  }

  /// Keeps the backups and the database for `reset`.
  private func keep() throws {
    if folder.exists("template") { try folder.remove("template") }
    try FileManager.default.copyItem(atPath: "\(folder.path)/backups", toPath: "\(folder.path)/template")
    try folder.write(folder.bytes(of: "storage/selfie.sqlite3"), to: "template.sqlite3")
  }

  private func reset() throws {
    try folder.remove("backups")
    try FileManager.default.copyItem(atPath: "\(folder.path)/template", toPath: "\(folder.path)/backups")
    // The same file: with another inode it would be a copy of the storage.
    try folder.write(folder.bytes(of: "template.sqlite3"), to: "storage/selfie.sqlite3")
    for suffix in ["-wal", "-shm"] where folder.exists("storage/selfie.sqlite3\(suffix)") {
      try folder.remove("storage/selfie.sqlite3\(suffix)")
    }
  }

  /// Runs a command that is killed after some steps in a folder. False if it has ended before.
  private func kill(
    _ command: String, after steps: Int, in place: String, _ environment: [String: String] = backups
  ) async throws -> Bool {
    try folder.write("kill \(steps) 1 *\(place)*\n", to: "faults")
    let faults = ["LD_PRELOAD": library, "FAULTS": "\(folder.path)/faults"]
    let process = try ServerProcess(
      command.split(separator: " ").map(String.init), environment: environment.merging(faults) { $1 }, in: folder)
    let status = await process.status()
    let errors = await process.errors.all()
    #expect(status == 0 || status == -SIGKILL, "\(command), \(steps): \(errors)")
    return status != 0
  }

  private var place: BackupFolder {
    get throws { try #require(try BackupFolder.all(in: "\(folder.path)/backups").first) }
  }

  /// Expects every backup that has a name to be whole.
  ///
  /// - Returns: their names.
  private func wholeBackups(_ comment: Comment) throws -> [String] {
    var problems: [String] = []
    _ = try place.verify(report: { _ in }, lose: { problems.append($0) })
    #expect(problems == [], comment)
    return try place.moments().map(\.name)
  }

  /// Expects the next backup to complete what was begun, and to leave nothing else.
  private func completeBackup(_ comment: Comment) async throws {
    try await folder.run("backup", environment: Self.backups)
    #expect(try wholeBackups(comment).count == 1, comment)
    let name = try place.path.dropFirst(folder.path.count + 1)
    #expect(try Set(folder.files(in: "\(name)/photos")) == Set(photos.keys), comment)
    let others = try folder.names(in: String(name)).filter { !$0.hasPrefix("2") }
    #expect(Set(others) == [".lock", "photos", "verification.json"], comment)
  }

  /// After an even number of steps, and after an odd one.
  @Test(arguments: [0, 1])
  func `a backup that is killed anywhere, also while it removes the one before`(firstSteps: Int) async throws {
    let first = try wholeBackups("at first")
    var steps = firstSteps
    while try await kill("backup", after: steps, in: "backups/"), steps < Self.tooManySteps {
      let comment: Comment = "after \(steps) steps"
      let whole = try wholeBackups(comment)
      #expect(!whole.isEmpty, comment)
      if whole.contains(first[0]) {
        #expect(folder.exists("\(try place.path.dropFirst(folder.path.count + 1))/photos/\(deleted)"), comment)
      }
      try await completeBackup(comment)
      try reset()
      steps += 2
    }
    #expect(steps > 20)
  }

  @Test func `the removal of a backup that is killed anywhere`() async throws {
    let first = try #require(try wholeBackups("at first").first)
    try await folder.run("backup", environment: ["BACKUP_DIR": "backups", "BACKUP_KEEP": "9"])
    let second = try #require(try wholeBackups("then").first)
    try keep()
    var steps = 0
    while try await kill("backup --delete \(first) --yes", after: steps, in: "backups/"), steps < Self.tooManySteps {
      let comment: Comment = "after \(steps) steps"
      #expect(try wholeBackups(comment).contains(second), comment)
      try await completeBackup(comment)
      try reset()
      steps += 1
    }
    #expect(steps > 5)
  }

  @Test(arguments: ["backups", "selfie.tar"]) func `a restore that is killed anywhere`(_ source: String) async throws {
    if source != "backups" { try await folder.run("backup selfie.tar") }
    try await folder.run("backup", environment: Self.backups)
    var steps = 0
    while try await kill("restore \(source)", after: steps, in: "other/", Self.other), steps < Self.tooManySteps {
      let comment: Comment = "after \(steps) steps"
      // Either a server starts and has everything, or another restore is needed, and possible, and leaves nothing else.
      if folder.exists("other/selfie.sqlite3"), !StorageRestore.isUnfinished(in: "\(folder.path)/other") {
        try await folder.run("doctor", environment: Self.other)
      } else {
        try await folder.run("restore \(source)", environment: Self.other)
        #expect(try folder.names(in: "other").sorted() == Self.restoredNames, comment)
      }
      #expect(try Set(folder.files(in: "other/photos")) == Set(photos.keys), comment)
      for (name, bytes) in photos { #expect(try folder.bytes(of: "other/photos/\(name)") == bytes, comment) }
      try folder.remove("other")
      steps += 1
    }
    #expect(steps > 10)
  }

  @Test func `an archive that is killed anywhere, which has its name only when it is whole`() async throws {
    try folder.makeFolder("usb")
    var steps = 0
    while try await kill("backup usb/selfie.tar", after: steps, in: "usb/", [:]), steps < Self.tooManySteps {
      if !folder.exists("usb/selfie.tar") { try await folder.run("backup usb/selfie.tar") }
      try await folder.run("backup --verify usb/selfie.tar")
      try folder.remove("usb/selfie.tar")
      #expect(try folder.names(in: "usb") == [])
      steps += 1
    }
    #expect(steps > 2)
  }
}
