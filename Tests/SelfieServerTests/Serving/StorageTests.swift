import Foundation
import Glibc
import SQL
import SQLite
import SelfieAPI
import TestSupport
import Testing

/// One process writes.
@Suite(.timeLimit(.minutes(10))) struct SingleWriterTests {
  @Test func `a second server on the same storage says which process has it, and since when`() async throws {
    let first = try await ServerProcess().listening()
    let outcome = try await first.folder.run(
      "serve", status: 1, saying: "storage is in use by selfie-server (pid \(first.pid), since 2",
      "Stop it first, or set another STORAGE_DIR.")
    #expect(outcome.output.isEmpty)
    // The text that a killed one wrote into the lock stays, and keeps no other from starting.
    await first.kill()
    let next = try await ServerProcess(in: first.folder).listening()
    #expect(try first.folder.text(of: "storage/lock").hasPrefix("pid \(next.pid)\nsince 2"))
    await next.stop()
  }

  /// The last has a number that no process has: the name of a holder that has ended is not given for the present one.
  @Test func `whatever stands in the lock does no harm`() async throws {
    let folder = try TemporaryFolder()
    for text in [
      "", "pid", "pid x\nsince y\n", "\u{0}", String(repeating: "pid \(Int32.max)\n", count: 100_000),
      "pid \(Int32.max)\nsince 2001-01-01 00:00:00 +0000\n",
    ] {
      try folder.write(text, to: "storage/lock")
      let holder = open("\(folder.path)/storage/lock", O_RDONLY | O_CLOEXEC)
      try #require(flock(holder, LOCK_EX | LOCK_NB) == 0)
      try await folder.run("serve", status: 1, saying: "in use by selfie-server (another process)")
      // A program that another test starts has a copy of the descriptor for a moment, which would keep the lock.
      flock(holder, LOCK_UN)
      close(holder)
    }
    try await ServerProcess(in: folder).listening().stop()
    #expect(try folder.text(of: "storage/lock") == "")
  }

  @Test func `a server that finds another's name in its lock ends, and what it has acknowledged is there`() async throws
  {
    let server = try ServerProcess()
    let app = try await server.appOfNewUser()
    try await app.postBtnTapped()
    try server.folder.write("pid 1\nsince 2026\nrunning\nanother", to: "storage/lock")
    let outcome = await server.outcome(1, saying: ["Another server uses storage by another mount (pid 1, since 2026)."])
    #expect(outcome.errors.count { $0.hasPrefix("selfie-server: ") } == 1)
    let next = try ServerProcess(in: server.folder)
    #expect(try await next.app(token: app.token).loadSelfieData().count == 1)
    await next.stop()
  }

  @Test func `a lock that somebody removes comes back, and keeps out a second server`() async throws {
    let server = try await ServerProcess().listening()
    let folder = server.folder
    try folder.remove("storage/lock")
    try await waitUntil { (try? folder.text(of: "storage/lock").hasPrefix("pid \(server.pid)\n")) == true }
    try await folder.run("serve", status: 1, saying: "storage is in use by selfie-server (pid ")
    await server.stop()
  }

  @Test(.enabled(if: BindMount.isPossible, "bindfs and FUSE are needed"), arguments: [false, true])
  func `a second server that reaches the storage by another mount does not start`(_ isFirstBound: Bool) async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("storage")
    try #require(chmod("\(folder.path)/storage", 0o700) == 0)
    let mount = try BindMount(of: folder.path)
    let paths = ["\(folder.path)/storage", "\(mount.path)/storage"]
    let (one, other) = isFirstBound ? (paths[1], paths[0]) : (paths[0], paths[1])
    let server = try ServerProcess(
      environment: ["STORAGE_DIR": one].merging(TestCluster.credentials) { $1 }, in: folder)
    let app = try await server.appOfNewUser()
    for _ in 0..<2 {
      try await folder.run(
        "serve", environment: ["STORAGE_DIR": other], status: 1,
        saying: "\(other) is in use by selfie-server (pid \(server.pid)")
      try await app.postBtnTapped()
    }
    let warning = "STORAGE_DIR is on a fuse file system (a folder of a Mac, sshfs, a network drive)."
    let bound = ["STORAGE_DIR": paths[1]]
    let doctor = try await folder.run("doctor", environment: bound)
    #expect(doctor.output.contains { $0.hasPrefix("note: \(warning)") }, "\(doctor)")
    if isFirstBound {
      try await server.logged(warning)
      let status = try await folder.run("status", environment: bound, status: 1)
      #expect(status.output.contains { $0.contains(warning) }, "\(status)")
    }
    await server.stop()
    let next = try ServerProcess(
      environment: ["STORAGE_DIR": other].merging(TestCluster.credentials) { $1 }, in: folder)
    #expect(try await next.app(token: app.token).loadSelfieData().count == 2)
    await next.stop()
  }
}

/// A storage and backups on a file system that ignores permissions, such as NTFS and exFAT.
@Suite(.timeLimit(.minutes(10)), .enabled(if: BindMount.isPossible, "bindfs and FUSE are needed"))
struct IgnoredPermissionsTests {
  @Test func `it is a warning, and nothing is said to be restricted`() async throws {
    let folder = try TemporaryFolder()
    for name in ["data/storage", "data/backups"] { try folder.makeFolder(name) }
    let mount = try BindMount(of: "\(folder.path)/data", options: ["--chmod-ignore", "--perms=a=rwX"])
    let (storage, backups) = ("\(mount.path)/storage", "\(mount.path)/backups")
    let environment = ["STORAGE_DIR": storage, "BACKUP_DIR": backups, "BACKUP_EVERY": "1h"]
      .merging(TestCluster.credentials) { $1 }
    func warning(_ path: String) -> String {
      "other users of this machine can read \(path)"
    }
    let server = try ServerProcess(environment: environment, in: folder)
    let id = try await server.appOfNewUser().postBtnTapped().id
    try await server.logged("warning \(warning(backups))/")
    await server.stop()
    let again = try await ServerProcess(environment: environment, in: folder).listening()
    try await again.logged("warning \(warning(storage)): its file system ignores permissions.")
    await again.stop()
    for process in [server, again] {
      #expect(await !process.errors.all().contains { $0.contains("accessible to its owner only") })
    }

    try await folder.run("backup \(mount.path)/x.tar", environment: environment, saying: warning("\(mount.path)/x.tar"))
    try await ServerProcess.run(
      ["photo", "export", id, "\(mount.path)/x.png"], environment: environment, in: folder,
      saying: warning("\(mount.path)/x.png"))
    let doctor = try await folder.run("doctor --repair", environment: environment, status: 1)
    #expect(doctor.output.contains { $0.hasPrefix("\(storage): \(warning(storage))") })
    #expect(!doctor.output.contains { $0.contains("restricted now") }, "\(doctor)")
    #expect(doctor.output.last?.contains("Repaired") == false, "\(doctor)")
  }
}

/// A server's upgrade.
@Suite(.timeLimit(.minutes(10))) struct UpgradeTests {
  @Test func `the first start of a newer version keeps the database as it was, and says so`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("storage")
    let step = try #require(Migrations.sqlite.steps.last)
    let earlier = try Connection(path: "\(folder.path)/storage/selfie.sqlite3", mode: .readWrite)
    _ = try Migrations(Array(Migrations.sqlite.steps.dropLast())).run(on: earlier, now: 0)
    earlier.close()

    let upgraded = try ServerProcess(in: folder)
    _ = try await upgraded.appOfNewUser()
    await upgraded.stop()
    let copy = "storage/selfie.sqlite3.before-\(step.name.prefix(4))"
    let line = await upgraded.errors.all().first { $0.contains("brought up to date") }
    #expect(line?.hasSuffix("copied copy=\(copy) migrations=\(step.name)") == true, "\(line ?? "no line")")
    #expect(try folder.permissions(of: copy) == 0o600)
    #expect(try folder.contents(of: "storage").filter { $0.contains("before") }.map { "storage/\($0)" } == [copy])

    let next = try ServerProcess(in: folder)
    try await next.app().makeSignInRequest()
    await next.stop()
    #expect(await next.errors.all().filter { $0.contains("brought up to date") } == [])
  }
}

/// File systems of which the owner should know.
@Suite(.timeLimit(.minutes(10))) struct FileSystemWarningTests {
  /// Both in the log and in the status.
  private func expectWarning(
    _ words: [String], in folder: TemporaryFolder, environment: [String: String] = [:]
  ) async throws {
    let server = try ServerProcess(environment: environment, in: folder)
    for words in words { try await server.logged(words) }
    let status = try await ServerProcess(["status"], environment: environment, in: folder).outcome(1).output
    for words in words { #expect(status.contains { $0.contains(words) }, "\(status)") }
    await server.stop()
  }

  @Test(.enabled(if: OverlayMount.isPossible, "only root can mount"))
  func `a container's own layer is no place for a storage or for backups`() async throws {
    let (mount, folder) = (try OverlayMount(), try TemporaryFolder())
    let (storage, backups) = ("\(mount.path)/storage", "\(mount.path)/backups")
    for path in [storage, backups] {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }
    let words = "in the container's own layer (overlayfs), which is deleted with the container. Mount a volume there"
    try await expectWarning(
      ["STORAGE_DIR is \(storage), \(words): docker run -v NAME:\(storage)", "BACKUP_DIR is \(backups), \(words)"],
      in: folder, environment: ["STORAGE_DIR": storage, "BACKUP_DIR": backups])
  }

  @Test func `a folder that has none of the photos is named, since its disk may be away`() async throws {
    let storage = try await OwnedStorage(isRunning: false)
    try storage.folder.remove("storage/photos")
    try await expectWarning(["storage/photos has none of the newest photos"], in: storage.folder)
  }

  @Test func `a file system that ignores case is named`() async throws {
    let folder = try TemporaryFolder()
    // As it would be found there: the server looks for its own .link by this name.
    try folder.write("", to: "storage/photos/.LINK")
    try await expectWarning(["The file system of storage/photos ignores the case of names."], in: folder)
  }
}
