import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// selfie-server backup and restore.
@Suite(.timeLimit(.minutes(10))) struct BackupTests {
  /// What a user sees: each photo's title, and its bytes by its address.
  private func album(of app: TutorialApp) async throws -> [String: Data] {
    var album: [String: Data] = [:]
    for selfie in try await app.loadSelfieData() {
      let download = try await app.helper.download(selfie.url)
      #expect(download.status == 200)
      album["\(selfie.id) \(selfie.title)"] = download.data
    }
    return album
  }

  /// A server on what was restored into `name`, and an app with the token that another one has.
  private func serverOnRestored(
    _ name: String, _ folder: TemporaryFolder, tokenOf app: TutorialApp
  ) async throws -> (server: ServerProcess, app: TutorialApp) {
    let server = try ServerProcess(environment: ["STORAGE_DIR": name], in: folder)
    let other = TutorialApp(
      helper: HTTPHelper(
        apiAuthName: app.helper.apiAuthName, apiAuthPassword: app.helper.apiAuthPassword,
        baseURL: "http://127.0.0.1:\(try await server.port())/api"))
    other.helper.keychain["Auth_Token"] = app.helper.keychain["Auth_Token"]
    return (server, other)
  }

  @Test func `what is backed up while a server runs is served again elsewhere`() async throws {
    let server = try ServerProcess(in: try TemporaryFolder())
    let folder = server.folder
    let app = try await server.appOfNewUser()
    for size in [1, 30, 300] {
      _ = try await app.postBtnTapped(image: PNG.random(width: size, height: size), title: "\(size) \"pixels\"")
    }
    let before = try await album(of: app)
    let made = try await ServerProcess.run(["backup", "selfie.tar"], in: folder)
    #expect(made.status == 0, "\(made)")
    #expect(made.output.first?.hasPrefix("selfie.tar has 1 user and 3 photos of ") == true, "\(made)")
    #expect(made.errors == [])
    #expect(try folder.permissions(of: "selfie.tar") == 0o600)
    let verified = try await ServerProcess.run(["backup", "--verify", "selfie.tar"], in: folder)
    #expect(verified.status == 0, "\(verified)")
    #expect(verified.output.first?.hasPrefix("selfie.tar is sound: 1 user and 3 photos of ") == true)

    let again = try await ServerProcess.run(["backup", "selfie.tar"], in: folder)
    #expect(again.status == 1)
    #expect(again.message == "selfie-server: selfie.tar exists. Give another name, or --force to replace it.")
    let forced = try await ServerProcess.run(["backup", "selfie.tar", "--force"], in: folder)
    #expect(forced.status == 0, "\(forced)")

    let full = try await ServerProcess.run(["restore", "selfie.tar"], in: folder)
    #expect(full.status == 1)
    #expect(full.message.contains("storage is not empty: it has control.sock, credentials.env, "), "\(full)")
    #expect(try await album(of: app) == before)
    let restored = try await ServerProcess.run(
      ["restore", "selfie.tar"], environment: ["STORAGE_DIR": "other"], in: folder)
    #expect(restored.status == 0, "\(restored)")
    #expect(restored.output.first?.hasPrefix("other has 1 user and 3 photos of ") == true)
    #expect(try folder.permissions(of: "other") == 0o700)
    let doctor = try await ServerProcess.run(["doctor"], environment: ["STORAGE_DIR": "other"], in: folder)
    #expect(doctor.status == 0, "\(doctor)")
    await server.stop()

    let (second, other) = try await serverOnRestored("other", folder, tokenOf: app)
    let after = try await album(of: other)
    #expect(after == before)
    try await other.makeSignInRequest(email: "jane@example.com", password: "secret12")
    _ = try await other.postBtnTapped(image: PNG.random(width: 3, height: 3), title: "new")
    #expect(try await album(of: other).count == 4)
    await second.stop()
  }

  @Test func `a backup to standard output is the same file, and needs no second space`() async throws {
    let server = try ServerProcess(in: try TemporaryFolder())
    let app = try await server.appOfNewUser()
    _ = try await app.postBtnTapped(image: PNG.random(width: 300, height: 300), title: "one")
    let folder = server.folder
    let streamed = try await ServerProcess.run(["backup", "-"], in: folder, shell: "exec >streamed.tar")
    #expect(streamed.status == 0, "\(streamed)")
    #expect(streamed.errors.first?.hasPrefix("The backup has 1 user and 1 photo of ") == true)
    #expect(streamed.output == [])
    let verified = try await ServerProcess.run(["backup", "--verify", "streamed.tar"], in: folder)
    #expect(verified.status == 0, "\(verified)")
    #expect(try folder.contents(of: "storage").filter { $0.hasPrefix("backup") } == [])

    let broken = try await ServerProcess.run(["backup", "-"], in: folder, shell: "exec >/dev/full")
    #expect(broken.status == 1)
    #expect(broken.message.contains("standard output"), "\(broken)")
    let wrong = try await ServerProcess.run(["backup", "-", "--verify"], in: folder)
    #expect(wrong.status == 64)
    await server.stop()
  }

  @Test func `a server makes backups by itself, removes old ones, and tells of the last`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("backups")
    let server = try ServerProcess(
      environment: ["BACKUP_DIR": "backups", "BACKUP_EVERY": "1s", "BACKUP_KEEP": "2"], in: folder)
    let app = try await server.appOfNewUser()
    _ = try await app.postBtnTapped(image: PNG.random(width: 30, height: 30), title: "one")
    try await waitUntil {
      try folder.contents(of: "backups").filter { $0.hasSuffix(".tar") }.count == 2
    }
    let ready = try await app.helper.download("http://127.0.0.1:\(server.port())/readyz")
    let shown = String(decoding: ready.data, as: UTF8.self)
    #expect(shown.hasPrefix(#"{"status":"ready","last_backup":{"time":"20"#), "\(shown)")
    #expect(shown.hasSuffix(#","verified":true,"failed":false}}"#), "\(shown)")
    #expect(await server.errors.first { $0.contains("the storage is backed up") } != nil)
    await server.stop()
    let names = try folder.contents(of: "backups")
    #expect((2...3).contains(names.count) && names.allSatisfy { $0.hasSuffix("Z.tar") }, "\(names)")
    let newest = try #require(names.sorted().last)
    let verified = try await ServerProcess.run(["backup", "--verify", "backups/\(newest)"], in: folder)
    #expect(verified.status == 0, "\(verified)")
  }

  @Test func `a server does not start with a folder for backups that it cannot use`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("storage")
    #expect(chmod("\(folder.path)/storage", 0o700) == 0)
    for (path, reason) in [("missing", "there is no such folder"), ("storage", "which is in the storage")] {
      let outcome = try await ServerProcess.run(environment: ["BACKUP_DIR": path], in: folder)
      #expect(outcome.status == 1)
      #expect(outcome.message.contains("BACKUP_DIR is \(path)"), "\(outcome)")
      #expect(outcome.message.contains(reason), "\(outcome)")
    }
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func `a folder for backups that is mounted read-only is named`() async throws {
    let folder = try TemporaryFolder()
    let disk = try SmallDisk(megabytes: 1)
    #expect(mount(nil, disk.path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
    let outcome = try await ServerProcess.run(environment: ["BACKUP_DIR": disk.path], in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.message.contains("BACKUP_DIR is \(disk.path), which is read-only for this process."), "\(outcome)")
    #expect(outcome.message.contains("ReadWritePaths="), "\(outcome)")
  }

  /// Users who come and go while backups are made.
  private final class Crowd: Sendable {
    /// Those who have put in what they keep, in that order, and what that is by its id.
    let members = Mutex<[(app: TutorialApp, kept: [String: Data])]>([])
    let isOver = Atomic(false)

    /// Signs up one user after the other; each uploads photos, and deletes every second one.
    func run(_ name: String, _ helper: HTTPHelper) async throws {
      var number = 0
      while !isOver.load(ordering: .relaxed) {
        let app = TutorialApp(
          helper: HTTPHelper(
            apiAuthName: helper.apiAuthName, apiAuthPassword: helper.apiAuthPassword, baseURL: helper.baseURL))
        let email = "\(name)\(number)@example.com"
        try await app.makeSignUpRequest(name: "A B", email: email, password: "secret12")
        try await app.makeSignInRequest(email: email, password: "secret12")
        var kept: [String: Data] = [:]
        for _ in 0..<2 {
          let image = PNG.random(width: 60, height: 60)
          let gone = try await app.postBtnTapped(image: image, title: "gone")
          kept[try await app.postBtnTapped(image: image, title: "kept").id] = image
          try await app.deleteSelfie(gone.id)
        }
        members.withLock { [kept] in $0.append((app, kept)) }
        number += 1
      }
    }
  }

  @Test func `each backup under load is of one instant, and has all that was answered before`() async throws {
    let server = try ServerProcess(environment: ["RATE_LIMIT": "off"], in: try TemporaryFolder())
    let folder = server.folder
    let app = try await server.appOfNewUser()
    let crowd = Crowd()
    let counts = try await withThrowingTaskGroup(of: Void.self) { group in
      for name in ["a", "b", "c"] { group.addTask { try await crowd.run(name, app.helper) } }
      var counts: [Int] = []
      for round in 0..<4 {
        try await waitUntil { crowd.members.withLock { $0.count } > 3 * round }
        counts.append(crowd.members.withLock { $0.count })
        let outcome = try await ServerProcess.run(["backup", "\(round).tar"], in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors == [])
      }
      crowd.isOver.store(true, ordering: .relaxed)
      try await group.waitForAll()
      return counts
    }
    await server.stop()

    for (round, count) in counts.enumerated() {
      let environment = ["STORAGE_DIR": "restored\(round)"]
      for command in [["backup", "--verify", "\(round).tar"], ["restore", "\(round).tar"], ["doctor"]] {
        let outcome = try await ServerProcess.run(command, environment: environment, in: folder)
        #expect(outcome.status == 0, "\(command): \(outcome)")
      }
      let (other, _) = try await serverOnRestored("restored\(round)", folder, tokenOf: app)
      for member in crowd.members.withLock({ Array($0.prefix(count)) }) {
        let again = TutorialApp(
          helper: HTTPHelper(
            apiAuthName: app.helper.apiAuthName, apiAuthPassword: app.helper.apiAuthPassword,
            baseURL: "http://127.0.0.1:\(try await other.port())/api"))
        again.helper.keychain["Auth_Token"] = member.app.helper.keychain["Auth_Token"]
        var found: [String: Data] = [:]
        for selfie in try await again.loadSelfieData() {
          found[selfie.id] = try await again.helper.download(selfie.url).data
        }
        #expect(found == member.kept)
      }
      await other.stop()
    }
  }

  @Test func `a disk without room is told, and nothing is left`() async throws {
    let server = try ServerProcess(in: try TemporaryFolder())
    let app = try await server.appOfNewUser()
    _ = try await app.postBtnTapped(image: PNG.random(width: 1000, height: 1000), title: "large")
    // No file may grow beyond a megabyte.
    let backup = try ServerProcess(["backup", "selfie.tar"], in: server.folder, shell: "ulimit -f 2048")
    #expect(await backup.status() == 1)
    let message = await backup.errors.all().joined()
    #expect(message.contains("There is no room for the backup at selfie.tar.partial: it needs 3"), "\(message)")
    #expect(try server.folder.contents().filter { $0.hasPrefix("selfie") } == [])
    #expect(try server.folder.contents(of: "storage").filter { $0.hasPrefix("backup.sqlite3") } == [])
    await server.stop()
  }

  @Test func `one of a storage that has lost a photo says so, also when it is verified and restored`() async throws {
    let server = try ServerProcess(in: try TemporaryFolder())
    let app = try await server.appOfNewUser()
    let selfie = try await app.postBtnTapped(image: PNG.random(width: 9, height: 9), title: "one")
    await server.stop()
    try server.folder.remove("storage/photos/\(selfie.id.prefix(2))/\(selfie.id)")
    let warning = "1 photo is not in it: the storage had lost its file. See selfie-server doctor."
    for command in [["backup", "x.tar"], ["backup", "--verify", "x.tar"]] {
      let outcome = try await ServerProcess.run(command, in: server.folder)
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.errors == [warning])
      #expect(outcome.output.count == 1)
      #expect(!outcome.output.joined().contains("is sound"))
    }
    let restored = try await ServerProcess.run(
      ["restore", "x.tar"], environment: ["STORAGE_DIR": "other"], in: server.folder)
    #expect(restored.status == 0)
    #expect(restored.errors == [warning])
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func `one that is told to stop leaves nothing`(_ signal: Int32) async throws {
    let server = try ServerProcess(in: try TemporaryFolder())
    let folder = server.folder
    let app = try await server.appOfNewUser()
    let selfie = try await app.postBtnTapped(image: PNG.random(width: 9, height: 9), title: "one")
    await server.stop()
    // Far more than can be read before the signal comes, and no more than a hole on the disk.
    let photo = try #require(
      FileHandle(forUpdatingAtPath: "\(folder.path)/storage/photos/\(selfie.id.prefix(2))/\(selfie.id)"))
    try photo.truncate(atOffset: 20 << 30)
    try photo.close()
    let before = try folder.contents()
    let backup = try ServerProcess(["backup", "selfie.tar"], in: folder)
    try await waitUntil { folder.exists("selfie.tar.partial") }
    backup.signal(signal)
    #expect(await backup.status() == 1)
    #expect(await backup.errors.all() == ["selfie-server: Interrupted; nothing of it is left."])
    // Reading a database may leave an empty log and its index.
    let ofReader = ["storage/selfie.sqlite3-shm", "storage/selfie.sqlite3-wal"]
    #expect(try folder.contents().filter { !ofReader.contains($0) } == before)
  }

  @Test func `what cannot be a backup, or not of this storage, is told`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("no backup", to: "file")
    for (arguments, message) in [
      (["backup", "x.tar"], "There is no database storage/selfie.sqlite3. Set STORAGE_DIR to the server's."),
      (["backup", "--verify", "file"], "file is no backup of selfie-server, or its beginning is damaged."),
      (["backup", "--verify", "none"], "open none: No such file or directory"),
      (["restore", "file"], "file is no backup of selfie-server, or its beginning is damaged."),
      (["restore", "none"], "open none: No such file or directory"),
    ] {
      let outcome = try await ServerProcess.run(arguments, in: folder)
      #expect(outcome.status == 1)
      #expect(outcome.message == "selfie-server: \(message)")
      #expect(outcome.output == [])
    }
    let misuse = try await ServerProcess.run(["backup", "--verify", "--force", "file"], in: folder)
    #expect(misuse.message.contains("--force is for making a backup, not for --verify."))
    #expect(try folder.contents() == ["file"])
  }
}
