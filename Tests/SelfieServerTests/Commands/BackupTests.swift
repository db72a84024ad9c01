import Foundation
import Glibc
import TestSupport
import Testing
import Torture

/// selfie-server backup and restore.
@Suite(.timeLimit(.minutes(10))) struct BackupTests {
  /// The backups in the folder `backups`, the newest last. A server may remove some meanwhile.
  private static func moments(in folder: TemporaryFolder) throws -> [String] {
    try folder.names(in: "backups").flatMap { storage in
      try folder.names(in: "backups/\(storage)").filter { $0.hasPrefix("2") }.map { "backups/\(storage)/\($0)" }
    }.sorted()
  }

  /// The photos that a user sees: their bytes by id and title.
  private func album(of app: TutorialApp) async throws -> [String: [UInt8]] {
    var album: [String: [UInt8]] = [:]
    for selfie in try await app.loadSelfieData() {
      let download = try await app.download(selfie.url)
      #expect(download.status == 200)
      album["\(selfie.id) \(selfie.title)"] = download.body
    }
    return album
  }

  @Test func `what is backed up while a server runs is served again elsewhere`() async throws {
    let server = try ServerProcess()
    let folder = server.folder
    let app = try await server.appOfNewUser()
    for size in [100, 2_700, 270_000] {
      try await app.postBtnTapped(image: PNG.random(size), title: "\(size) \"bytes\"")
    }
    let before = try await album(of: app)
    let made = try await folder.run("backup selfie.tar")
    #expect(made.output.first?.hasPrefix("selfie.tar has 1 user, 3 photos, ") == true, "\(made)")
    #expect(made.output.first?.contains(/, [0-9.]+ kB, in [0-9]+\.[0-9] s\.$/) == true, "\(made)")
    #expect(made.errors == [])
    #expect(try folder.permissions(of: "selfie.tar") == 0o600)
    let verified = try await folder.run("backup --verify selfie.tar")
    #expect(verified.output.first?.hasPrefix("selfie.tar has 1 user, 3 photos, ") == true)
    #expect(verified.output.first?.hasSuffix("All of it is intact.") == true)
    try await folder.run(
      "backup selfie.tar", status: 1,
      saying: "selfie-server: selfie.tar already exists. Choose another name, since a backup never replaces a file.")
    try await folder.run("backup selfie.tar --force", status: 64, saying: "a new name")
    try await folder.run(
      "restore selfie.tar", status: 1, saying: "storage is in use by selfie-server (pid \(server.pid)", "Stop it first")
    #expect(try await album(of: app) == before)

    let environment = ["STORAGE_DIR": "other"]
    let restored = try await folder.run("restore selfie.tar", environment: environment)
    #expect(restored.output.first?.hasPrefix("other has 1 user, 3 photos, ") == true)
    #expect(try folder.permissions(of: "other") == 0o700)
    try await folder.run("doctor", environment: environment)
    await server.stop()

    let second = try ServerProcess(environment: environment, in: folder)
    let other = try await second.app(token: app.token)
    #expect(try await album(of: other) == before)
    try await other.makeSignInRequest()
    try await other.postBtnTapped(title: "new")
    #expect(try await album(of: other).count == 4)
  }

  @Test func `a backup to standard output is the same file, and needs no second space`() async throws {
    let (folder, _) = try await TemporaryFolder.ofServerWithPhoto()
    let streamed = try await folder.shell("\"$0\" backup --home . - >streamed.tar")
    #expect(streamed.errors.first?.hasPrefix("The backup has 1 user, 1 photo, ") == true)
    try await folder.run("backup --verify streamed.tar")
    #expect(try folder.contents(of: "storage").filter { $0.hasPrefix("backup") } == [])
    let broken = try await folder.shell("\"$0\" backup --home . - >/dev/full", status: 1)
    #expect(broken.message.contains("standard output"), "\(broken)")
    try await folder.run("backup - --verify", status: 64)
  }

  @Test func `a server makes backups by itself, removes old ones, and tells of the last`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("backups")
    let server = try ServerProcess(
      environment: [
        "BACKUP_DIR": "backups", "BACKUP_EVERY": "1s", "BACKUP_KEEP": "2", "METRICS": "127.0.0.1:0",
        "PASSWORD_COST": "10",
      ],
      in: folder)
    try await server.appOfNewUser().postBtnTapped()
    try await waitUntil {
      try Self.moments(in: folder).count == 2
    }
    let shown = try await server.response(to: "GET /readyz").text
    #expect(shown.hasPrefix(#"{"status":"ready","last_backup":{"time":"20"#), "\(shown)")
    #expect(shown.hasSuffix(#","verified":true,"failed":false}}"#), "\(shown)")
    let metrics = try await server.metrics()
    #expect(abs(try #require(metrics["selfie_backup_timestamp_seconds"]) - Date().timeIntervalSince1970) < 120)
    #expect(try #require(metrics["selfie_backup_bytes"]) > 10_000)
    #expect(metrics["selfie_backup_failed"] == 0)
    try await server.logged("the storage is backed up")
    let status = try await folder.run("status", status: 1)
    #expect(status.output.filter { $0.hasPrefix("Needs attention") }.count == 1, "\(status)")
    #expect(status.output.contains { $0.contains("BACKUP_DIR is on the disk of the storage") }, "\(status)")
    // An automatic one may be in progress.
    var byHand: [String]
    repeat {
      let command = try ServerProcess(["backup"], in: folder)
      _ = await command.status()
      byHand = await command.output.all() + command.errors.all()
    } while byHand.contains { $0.contains("is in progress") }
    #expect(byHand.first?.contains(" has 1 user, 1 photo, ") == true, "\(byHand)")
    await server.stop()
    let names = try Self.moments(in: folder)
    #expect((2...3).contains(names.count), "\(names)")
    let newest = try #require(names.last)
    for place in ["backups", newest] { try await folder.run("backup --verify \(place)") }
    let list = try await folder.run("backup --list --json backups").json([[String: Any]].self)
    #expect(list.count == names.count && list[0]["complete"] as? Bool == true && list[0]["photos"] as? Int == 1)
    // Older ones may lack the photo.
    let name = try #require(names.first?.split(separator: "/").last)
    let environment = ["BACKUP_DIR": "backups"]
    try await folder.run(
      "backup --delete \(name)", environment: environment, status: 1, saying: "To confirm, pass --yes.")
    try await folder.run("backup --delete \(name) --yes", environment: environment)
    #expect(try Self.moments(in: folder).count == names.count - 1)
    let restored = try await folder.run("restore backups", environment: ["STORAGE_DIR": "other"])
    #expect(restored.output.first?.hasPrefix("other has 1 user, 1 photo, ") == true)
    // Without a server, and into another folder.
    let stopped = try await folder.run("backup", environment: environment)
    #expect(stopped.output.first?.contains(" has 1 user, 1 photo, ") == true, "\(stopped)")
    try folder.makeFolder("usb")
    try await folder.run("backup --to usb")
    try await folder.run("backup --verify usb")
  }

  @Test func `a server whose disk is not mounted says so, and leaves the backups of the right storage alone`()
    async throws
  {
    let folder = try TemporaryFolder()
    try folder.makeFolder("backups")
    let environment = ["BACKUP_DIR": "backups", "BACKUP_EVERY": "1s", "BACKUP_KEEP": "1"]
    let server = try ServerProcess(environment: environment, in: folder)
    try await server.appOfNewUser().postBtnTapped()
    try await server.logged("this storage is new and empty")
    try await waitUntil {
      try await server.response(to: "GET /readyz").text.hasSuffix(#","verified":true,"failed":false}}"#)
    }
    await server.stop()
    let backups = try Self.moments(in: folder)
    try FileManager.default.moveItem(atPath: "\(folder.path)/storage", toPath: "\(folder.path)/mounted")
    try folder.makeFolder("storage")

    let other = try ServerProcess(environment: environment.merging(["BACKUP_EVERY": "1h"]) { $1 }, in: folder)
    try await other.logged("this storage is new and empty: there was no database")
    let line = try await other.logged("backups has backups, but only of other storages")
    #expect(line.contains("error"))
    let shown = try await other.response(to: "GET /readyz").text
    #expect(shown.hasSuffix(#""last_backup":{"time":null,"bytes":null,"verified":false,"failed":true}}"#), "\(shown)")
    let status = try await folder.run("status", status: 1)
    #expect(status.output.contains { $0.contains("Is the disk of storage mounted?") }, "\(status)")
    // No alarm ends by what a stranger does.
    _ = try await other.appOfNewUser()
    #expect(try Self.moments(in: folder) == backups)
    try await folder.run("backup --new-folder")
    try await waitUntil { try Self.moments(in: folder).count > backups.count }
    await other.stop()
    #expect(backups.allSatisfy { folder.exists($0) })
  }

  @Test func `a server does not start with a folder for backups that it cannot use`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("storage")
    #expect(chmod("\(folder.path)/storage", 0o700) == 0)
    for (path, reason) in [("missing", "there is no such folder"), ("storage", "which is in the storage")] {
      try await folder.run(
        "serve", environment: ["BACKUP_DIR": path], status: 1, saying: "BACKUP_DIR is \(path)", reason)
    }
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func `a folder for backups that is mounted read-only is named`() async throws {
    let disk = try SmallDisk(megabytes: 1)
    #expect(mount(nil, disk.path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
    try await ServerProcess.run(
      environment: ["BACKUP_DIR": disk.path], status: 1,
      saying: "BACKUP_DIR is \(disk.path), which is read-only for this process.", "ReadWritePaths=")
  }

  @Test func `a disk without room is told, and nothing is left`() async throws {
    let server = try ServerProcess()
    try await server.appOfNewUser().postBtnTapped(image: PNG.random(3_000_000))
    // No file may grow beyond a megabyte.
    try await ServerProcess.run(
      ["backup", "selfie.tar"], in: server.folder, shell: "ulimit -f 2048", status: 1,
      saying: "There is no room for the backup at ./.selfie.tar.partial")
    #expect(try server.folder.contents().filter { $0.hasPrefix("selfie") || $0.hasPrefix(".selfie") } == [])
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func `a storage without room, or one that may only be read, is backed up, checked and shown`() async throws {
    let disk = try SmallDisk(megabytes: 24)
    let folder = try TemporaryFolder()
    let environment = ["STORAGE_DIR": disk.path].merging(TestCluster.credentials) { $1 }
    let server = try ServerProcess(environment: environment, in: folder)
    let app = try await server.appOfNewUser()
    let image = PNG.random(100_000)
    let id = try await app.postBtnTapped(image: image).id
    try disk.fill()
    try await folder.run("backup full.tar", environment: environment)
    await server.stop()

    #expect(mount(nil, disk.path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
    func run(_ arguments: [String], status: Int32 = 0) async throws -> String {
      try await ServerProcess.run(arguments, environment: environment, in: folder, status: status)
        .output.joined(separator: "\n")
    }
    #expect(try await run(["backup", "ro.tar"]).hasPrefix("ro.tar has 1 user, 1 photo, "))
    let work = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("ro") }
    #expect(work == ["ro.tar"])
    try await folder.shell("\"$0\" backup --storage-dir \(disk.path) - >streamed.tar")
    for file in ["full.tar", "ro.tar", "streamed.tar"] {
      #expect(try await run(["backup", "--verify", file]).hasPrefix("\(file) has 1 user, 1 photo, "))
    }
    // The disk is full.
    #expect(try await run(["doctor"], status: 1).contains("Checked 1 photo, and read 1 of them. "))
    #expect(try await run(["status"], status: 1).contains("No server is running here."))
    #expect(try await run(["user", "list"]).contains("jane@example.com"))
    #expect(try await run(["photo", "list"]).contains(id))
    _ = try await run(["photo", "export", id, "photo.png"])
    #expect(try folder.bytes(of: "photo.png") == image)
    try await folder.run(
      "user delete jane@example.com --yes", environment: environment, status: 1, saying: "readonly database")
    #expect(try await run(["user", "list"]).contains("jane@example.com"))
  }

  @Test func `one of a storage that has lost a photo says so, also when it is verified and restored`() async throws {
    let (folder, photo) = try await TemporaryFolder.ofServerWithPhoto()
    try folder.remove("storage/\(photo)")
    let (id, other) = (String(photo.suffix(41)), ["STORAGE_DIR": "other"])
    for command in ["backup x.tar", "backup --verify x.tar"] { try await folder.run(command, status: 1, saying: id) }
    try await folder.run(
      "restore x.tar", environment: other, status: 1, saying: id, "1 photo in it, listed above, cannot be restored",
      "restore what is intact with restore --skip-damaged.")
    let restored = try await folder.run(
      "restore --skip-damaged x.tar", environment: other, status: 1, saying: "not restored: \(id)")
    #expect(restored.output.first?.hasPrefix("other has 1 user, 0 photos") == true)
    try await folder.run("doctor", environment: other)
  }

  @Test func `a photo that the disk cannot read keeps no other from being backed up, moved away or checked`()
    async throws
  {
    let server = try ServerProcess()
    let folder = server.folder
    let app = try await server.appOfNewUser()
    let (bad, good) = (try await app.postBtnTapped().id, try await app.postBtnTapped().id)
    await server.stop()
    let library = try FaultsLibrary.build("\(checkout)/Tests/Faults/Faults.c", in: folder.path)
    let environment = ["LD_PRELOAD": library, "FAULTS": "\(folder.path)/faults"]
    try folder.write("read 5 -1 *\(bad)\n", to: "faults")
    let made = try await folder.run(
      "backup x.tar", environment: environment, status: 1,
      saying: "\(bad): in the storage: Input/output error")
    #expect(made.output.first?.hasPrefix("x.tar has 1 user, 1 photo,") == true)
    #expect(try await folder.shell("tar tf x.tar").output.contains { $0.hasSuffix(good) })
    // A photo that has no digest yet is read, too.
    try folder.execute("UPDATE photos SET sha256 = NULL")
    try await folder.run(
      "doctor", environment: environment, status: 2, saying: "\(bad) cannot be read: Input/output error")

    try folder.makeFolder("backups")
    let backups = ["BACKUP_DIR": "backups", "BACKUP_EVERY": "1s", "BACKUP_KEEP": "1"]
    let again = try ServerProcess(environment: environment.merging(backups) { $1 }, in: folder)
    let line = try await again.logged("the backup failed or is incomplete")
    #expect(line.contains("\(bad.prefix(8))…: in the storage: Input/output error, and no backup has it"), "\(line)")
    #expect(try await again.response(to: "GET /readyz").text.hasSuffix(#""verified":false,"failed":true}}"#))
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func `one that is told to stop leaves nothing`(_ signal: Int32) async throws {
    let (folder, photo) = try await TemporaryFolder.ofServerWithPhoto()
    // Far more than can be read before the signal comes, and no more than a hole on the disk.
    try #require(truncate("\(folder.path)/storage/\(photo)", 20 << 30) == 0)
    try folder.execute("UPDATE photos SET byte_count = \(20 << 30), sha256 = NULL")
    let before = try folder.contents()
    let backup = try ServerProcess(["backup", "selfie.tar"], in: folder)
    try await waitUntil { folder.exists(".selfie.tar.partial") }
    backup.signal(signal)
    #expect(await backup.outcome(1).errors == ["selfie-server: Interrupted; nothing of it is left."])
    // Reading a database may leave an empty log and its index.
    let ofReader = ["storage/selfie.sqlite3-shm", "storage/selfie.sqlite3-wal"]
    #expect(try folder.contents().filter { !ofReader.contains($0) } == before)
  }

  private static let noStorage =
    "There is no storage in ./storage. Run this in the server's folder, or pass --storage-dir."

  @Test func `what cannot be a backup, or not of this storage, is told`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("no backup", to: "file")
    try folder.write("SQLite format 3\0", to: "other/selfie.sqlite3")
    try folder.makeFolder("other/photos")
    for (arguments, message) in [
      (["backup", "x.tar"], Self.noStorage), (["user", "list"], Self.noStorage), (["status"], Self.noStorage),
      (["backup", "--verify", "file"], "file is not a backup of selfie-server, or its beginning is damaged."),
      (["backup", "--verify", "none"], "There is no file none."),
      (["backup", "storage/x.tar"], "storage/x.tar is in the storage."),
      (["restore", "file"], "file is not a backup of selfie-server, or its beginning is damaged."),
      (
        ["restore", "other/selfie.sqlite3"], "other/selfie.sqlite3 is only a database. Name a backup: its folder, which"
      ),
      (
        ["restore", "other"],
        "other is a storage, not a backup. To make a backup of it, run selfie-server backup FILE.tar"
      ),
      (["backup", "--verify", "other"], "There are no backups in other."),
      (["restore", "none"], "There is no file none."), (["restore", "no/x.tar"], "There is no folder no."),
    ] {
      let outcome = try await ServerProcess.run(arguments, in: folder, status: 1)
      #expect(outcome.message.hasPrefix("selfie-server: \(message)"), "\(outcome)")
      #expect(outcome.output == [])
    }
    try await folder.run("backup --verify --list", status: 64, saying: "Pass only one of")
    #expect(try folder.contents() == ["file", "other", "other/photos", "other/selfie.sqlite3"])
  }
}
