import APITestSupport
import Foundation
import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI
import TestSupport
import Testing

@testable import SelfieOperations

/// The backups in BACKUP_DIR, at times that the test sets.
@Suite struct ScheduledBackupsTests {
  private static let day: Int64 = 86_400_000

  private let storage: BackedUpStorage
  private var clock: SettableClock { storage.api.clock }
  private let folder: TemporaryFolder

  init() async throws {
    storage = try await BackedUpStorage()
    folder = try TemporaryFolder()
  }

  private func backups(every interval: Int64 = day, keep: String = "2d", of api: APIFixture? = nil) throws
    -> ScheduledBackups
  {
    let api = api ?? storage.api
    return try ScheduledBackups(
      in: folder.path, every: interval, keeping: try #require(BackupRetention(keep)), storage: api.folder.path,
      database: api.database, clock: { [clock] in clock.now })
  }

  private var place: BackupFolder { get throws { try BackupFolder(in: folder.path, of: storage.backup().identity()) } }

  private func days() throws -> [String] { try place.moments().map { String($0.name.prefix(10)) } }

  private func state() throws -> BackupState {
    try #require(try storage.api.database.read { try $0.first(BackupStateStore.state, as: BackupState.self) })
  }

  /// The photos that are in the pool.
  private func pooled() throws -> Set<String> {
    let pool = PhotoPool(of: try place)
    return Set(try pool.folders().flatMap { try pool.ids(in: $0) })
  }

  @Test func `the first is due at once, and each other an interval after the one before`() async throws {
    let backups = try backups()
    #expect(backups.last == LastBackup())
    #expect(backups.wait == 0)
    let last = await backups.made()
    #expect(last == backups.last)
    #expect(last.file == (try place.moments().first?.path))
    #expect(last.time == clock.now / 1000 * 1000)
    #expect(try state().lastBackupAt == last.time)
    #expect(last.isVerified && last.error == nil)
    #expect(backups.wait == Self.day - clock.now % 1000)
    clock.advance(seconds: 86_399)
    #expect((1...1000).contains(backups.wait))
    clock.advance(seconds: 1)
    #expect(backups.wait == 0)
  }

  @Test func `a restart neither skips one nor makes one too many`() async throws {
    let first = try await backups().made()
    clock.advance(seconds: 3600)
    let restarted = try backups()
    #expect(restarted.last == first)
    #expect(restarted.wait == Self.day - 3_600_000 - clock.now % 1000)
  }

  @Test func `a restart remembers what the newest lacks`() async throws {
    _ = try await backups().made()
    clock.advance(seconds: 3600)
    try storage.api.folder.remove(StorageLayout.photo(storage.ids[0]))
    let lost = try await backups().made()
    #expect(lost.error?.contains("the backups have it whole") == true)
    #expect(lost.loggedError?.contains(storage.ids[0]) == false)
    #expect(try backups().last.error == lost.error)
  }

  @Test func `a clock that was set back delays none, and what it has made is not counted`() async throws {
    let running = try backups(keep: "1")
    _ = await running.made()
    clock.advance(seconds: -1000 * 86_400)
    for backups in [running, try backups(keep: "1")] {
      #expect(backups.wait == 0)
      #expect(await backups.made().error == nil)
      #expect(backups.wait == Self.day - clock.now % 1000)
      clock.advance(seconds: 86_400)
    }
    #expect(try days() == ["2026-11-20", "2024-02-25"])
    #expect(running.warnings.contains { $0.contains("is from the future") })
  }

  @Test func `old ones are removed once there is a new one, and then the photos that none names`() async throws {
    let backups = try backups(keep: "2d")
    #expect(await backups.made().error == nil)
    let gone = storage.ids[1]
    let response = await storage.api.send(
      "DELETE", "/api/delete_photo", as: .holder(of: storage.token), ["photo_id": gone])
    #expect(response.status == .ok)
    for left in [Set(storage.ids), Set(storage.ids).subtracting([gone])] {
      clock.advance(seconds: 86_400)
      #expect(await backups.made().error == nil)
      #expect(try pooled() == left)
    }
    #expect(try days() == ["2026-11-22", "2026-11-21"])
  }

  @Test(arguments: ["bit", "json", "format"])
  func `while a backup cannot be read, no photo is removed`(_ damage: String) async throws {
    try storage.api.folder.write("x", to: "unused")
    let backups = try backups(keep: "1")
    let foreign = try #require(await backups.made().file).replacing("2026-11-20", with: "2026-11-01") + "x"
    // A backup of another line, which nothing removes.
    let other = String(foreign.dropLast(9)) + "00000000"
    try FileManager.default.copyItem(atPath: try #require(backups.last.file), toPath: other)
    switch damage {
    case "bit":
      var bytes = Array(try Data(contentsOf: URL(filePath: "\(other)/selfie.sqlite3")))
      bytes[bytes.count / 2] ^= 1
      try Data(bytes).write(to: URL(filePath: "\(other)/selfie.sqlite3"))
    case "json": try Data().write(to: URL(filePath: "\(other)/backup.json"))
    default:
      let text = try String(contentsOfFile: "\(other)/backup.json", encoding: .utf8)
      try text.replacing("\"format\":1", with: "\"format\":2").write(
        toFile: "\(other)/backup.json", atomically: true, encoding: .utf8)
    }
    for id in storage.ids {
      _ = await storage.api.send("DELETE", "/api/delete_photo", as: .holder(of: storage.token), ["photo_id": id])
    }
    clock.advance(seconds: 86_400)
    #expect(await backups.made().error == nil)
    #expect(try pooled() == Set(storage.ids))
    #expect(backups.warnings.contains { $0.hasPrefix("No photo is removed from the backups: ") })
  }

  @Test func `incomplete ones follow the rule, and the newest complete one stays`() async throws {
    let backups = try backups(keep: "2")
    #expect(await backups.made().error == nil)
    let lost = try #require(storage.ids.first)
    // Neither the storage nor the pool has it any more.
    try storage.api.folder.remove(StorageLayout.photo(lost))
    try FileSystem.remove("\(try place.path)/\(StorageLayout.photo(lost))")
    for _ in 0..<4 {
      clock.advance(seconds: 86_400)
      let last = await backups.made()
      #expect(last.error?.contains("1 photo of the storage is not in the backup.") == true && !last.isVerified)
    }
    #expect(try days() == ["2026-11-24", "2026-11-23", "2026-11-20"])
  }

  @Test func `a copy removes nothing until it begins a line of its own, nor does the original`() async throws {
    let backups = try backups(keep: "1")
    #expect(await backups.made().error == nil)
    let copy = try TemporaryFolder()
    // As cp -r does it: with the same line and the same records.
    try await storage.api.database.write { try $0.execute("SELECT 1") }
    try FileManager.default.copyItem(atPath: storage.api.folder.path, toPath: "\(copy.path)/s")
    let database = try Database(path: "\(copy.path)/s/selfie.sqlite3", migrations: .sqlite, now: 0)
    defer { database.close() }
    let other = try ScheduledBackups(
      in: folder.path, every: Self.day, keeping: try #require(BackupRetention("1")), storage: "\(copy.path)/s",
      database: database, clock: { [clock] in clock.now })
    for (number, backups) in [other, backups, other].enumerated() {
      clock.advance(seconds: 86_400)
      #expect(await backups.made().error == nil)
      #expect(try place.moments().count == 2 + number)
      #expect(backups.warnings.contains { $0.contains("run selfie-server backup --new-line") })
    }
    clock.advance(seconds: 86_400)
    #expect(await other.made(isByHand: true, .newLine).error == nil)
    #expect(try place.moments().count == 5)
    clock.advance(seconds: 86_400)
    #expect(await other.made().error == nil)
    #expect(try place.moments().count == 5)
    #expect(!other.warnings.contains { $0.contains("--new-line") })
    #expect(backups.warnings.contains { $0.hasPrefix("Another copy of this storage makes backups here too") })
  }

  @Test func `after a restore, both lines keep their own backups, and the pool what either needs`() async throws {
    let backups = try backups(keep: "1")
    #expect(await backups.made().error == nil)
    try storage.restore(folder.path)
    let restored = "\(storage.folder.path)/restored"
    let database = try Database(path: "\(restored)/selfie.sqlite3", migrations: .sqlite, now: 0)
    defer { database.close() }
    let other = try ScheduledBackups(
      in: folder.path, every: Self.day, keeping: try #require(BackupRetention("1")), storage: restored,
      database: database, clock: { [clock] in clock.now })
    clock.advance(seconds: 86_400)
    let first = await other.made()
    // It copies no photo again.
    #expect(first.error == nil && first.description?.newBytes == first.description?.databaseBytes)
    _ = await storage.api.send(
      "DELETE", "/api/delete_photo", as: .holder(of: storage.token), ["photo_id": storage.ids[1]])
    for _ in 0..<3 {
      for backups in [backups, other] {
        clock.advance(seconds: 86_400)
        #expect(await backups.made().error == nil)
        #expect(try place.moments().count == 2)
      }
    }
    #expect(try Set(place.moments().map(\.line)).count == 2)
    #expect(try pooled() == Set(storage.ids))
    #expect(backups.warnings.contains { $0.hasPrefix("Another copy of this storage makes backups here too") })
    #expect(try backups.place.listed().map(\.count) == [1])
    var problems: [String] = []
    _ = try place.verify(report: { _ in }, lose: { problems.append($0) })
    #expect(problems == [])
  }

  @Test func `two storages in one folder remove nothing of each other`() async throws {
    let (backups, empty) = (try backups(keep: "1"), try APIFixture())
    #expect(await backups.made().error == nil)
    let token = try await empty.newUser()
    let id = try await empty.newPhoto(Samples.png, token: token)
    try await empty.application.upkeep.noteDigests()
    let other = try self.backups(keep: "1", of: empty)
    #expect(await other.made(isByHand: true, .newFolder).error == nil)
    _ = await storage.api.send(
      "DELETE", "/api/delete_photo", as: .holder(of: storage.token), ["photo_id": storage.ids[1]])
    for _ in 0..<2 {
      clock.advance(seconds: 86_400)
      for backups in [backups, other] { #expect(await backups.made().error == nil) }
    }
    let left: [(BackupFolder, [String])] = [
      (try place, storage.ids.filter { $0 != storage.ids[1] }), (other.place.folder, [id]),
    ]
    for (folder, photos) in left {
      #expect(try folder.moments().count == 1)
      let pool = PhotoPool(of: folder)
      let found = try pool.folders().flatMap { try pool.ids(in: $0) }
      #expect(Set(found) == Set(photos))
    }
  }

  @Test func `an owner is told that another backup is in progress, and an automatic one waits`() async throws {
    let backups = try backups()
    #expect(await backups.made().error == nil)
    clock.advance(seconds: 86_400)
    let waiting = try place.whileLocked { _ in
      #expect { try backups.make(isByHand: true) } throws: { $0 is BackupInProgress }
      // No failure is left of it.
      #expect(backups.last.error == nil)
      return Task { await backups.made() }
    }
    #expect(await waiting.value.error == nil)
    #expect(try place.moments().count == 2)
  }

  @Test func `a damaged backup makes no whole one go`() async throws {
    let backups = try backups(keep: "1")
    let whole = try #require(await backups.made().file)
    clock.advance(seconds: 86_400)
    // The second is made while the first is the newest whole one, so that only the rule removes it.
    let other = try self.backups(keep: "2")
    let damaged = try #require(await other.made().file)
    var bytes = Array(try Data(contentsOf: URL(filePath: "\(damaged)/selfie.sqlite3")))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(filePath: "\(damaged)/selfie.sqlite3"))
    // Nobody has this photo any more, so that no new backup is complete.
    try storage.api.folder.remove(StorageLayout.photo(storage.ids[0]))
    try FileSystem.remove("\(try place.path)/\(StorageLayout.photo(storage.ids[0]))")
    clock.advance(seconds: 86_400)
    #expect(await backups.made().isVerified == false)
    #expect(FileManager.default.fileExists(atPath: whole))
    #expect(backups.warnings.contains { $0.contains("is damaged. No photo is removed from the backups") })
  }

  @Test func `a folder that is not there any more is an alarm, and none is written`() async throws {
    let backups = try backups(keep: "9")
    #expect(await backups.made().error == nil)
    let elsewhere = "\(folder.path).moved"
    // The mount point below.
    try FileManager.default.moveItem(atPath: folder.path, toPath: elsewhere)
    #expect(await backups.made().error?.contains("there is no such folder") == true)
    _ = try FileSystem.makeFolder(folder.path)
    let error = await backups.made().error
    #expect(error?.contains("does not have the backups of this storage any more. Is its disk mounted?") == true)
    #expect(backups.wait == 60_000)
    #expect(try FileSystem.names(in: folder.path) == [])
    rmdir(folder.path)
    try FileManager.default.moveItem(atPath: elsewhere, toPath: folder.path)
    #expect(await backups.made().error == nil)
    #expect(try place.moments().count == 2)
    try FileSystem.removeTree(try place.path)
    #expect(await backups.made().error != nil)
    #expect(await backups.made(isByHand: true, .newFolder).error == nil)
  }

  @Test(arguments: [
    "0123456789abcdef", "selfie-2026-11-19T18-37-00Z-0123456789abcdef.tar", "selfie-2026-11-19T18-37-00Z.tar",
  ])
  func `a new storage beside the backups of others makes none, whoever signs up`(_ other: String) async throws {
    if other.hasSuffix("tar") { try folder.write("theirs", to: other) } else { try folder.makeFolder(other) }
    let empty = try APIFixture()
    let backups = try backups(of: empty)
    #expect(await backups.made().error?.contains("has backups, but only of other storages") == true)
    try await empty.signUp("john@example.com")
    #expect(await backups.made().error?.contains("--new-folder") == true)
    #expect(try folder.names(in: "") == [other])
    #expect(await backups.made(isByHand: true, .newFolder).error == nil)
    #expect(await backups.made().error == nil)
    #expect(try folder.names(in: "").contains(other))
  }

  @Test func `tar archives of earlier versions of this storage stay, and are said to be there`() async throws {
    let archive = "selfie-2026-11-19T18-37-00Z-\(try storage.backup().identity()).tar"
    try folder.write("ours", to: archive)
    let backups = try backups(keep: "1")
    #expect(await backups.made().error == nil)
    #expect(folder.exists(archive))
    #expect(try backups.place.listed().map(\.count) == [1])
  }

  @Test func `a stop ends it, and leaves nothing`() async throws {
    let backups = try backups()
    backups.stop()
    #expect(await backups.made().error == "The server was stopped meanwhile.")
    #expect(try place.moments() == [] && place.unfinished() == [])
  }

  @Test func `the owner deletes one, and hears which photos go with it`() async throws {
    let backups = try backups(keep: "9")
    #expect(await backups.made().error == nil)
    let id = storage.ids[4]
    _ = await storage.api.send("DELETE", "/api/delete_photo", as: .holder(of: storage.token), ["photo_id": id])
    clock.advance(seconds: 86_400)
    #expect(await backups.made().error == nil)
    let (new, old) = (try place.moments()[0], try place.moments()[1])
    #expect(try place.photosOnly(in: new) == [])
    #expect(try place.photosOnly(in: old) == [id])
    #expect(try place.delete(old) == nil)
    #expect(try pooled() == Set(storage.ids.dropLast()))
    var problems: [String] = []
    let found = try place.verify(report: { _ in }, lose: { problems.append($0) })
    #expect(found.moments == 1 && found.photos == 4 && problems == [])
  }

  @Test func `the public members name no path`() async throws {
    let backups = try backups()
    func members() throws -> String {
      String(decoding: try JSONWriter.encode(LastBackupView(backups.last), writesNull: true), as: UTF8.self)
    }
    #expect(try members() == #"{"time":null,"bytes":null,"verified":false,"failed":false}"#)
    let bytes = try #require(await backups.made().byteCount)
    #expect(try members() == #"{"time":"2026-11-20T22:24:16.000Z","bytes":\#(bytes),"verified":true,"failed":false}"#)
    backups.stop()
    _ = await backups.made()
    #expect(try members().hasSuffix(#""verified":true,"failed":true}"#))
  }
}

extension ScheduledBackups {
  /// As `make`, on a thread that may wait.
  func made(isByHand: Bool = false, _ changes: BackupPlace.Changes = []) async -> LastBackup {
    await withCheckedContinuation { continuation in
      let thread = try? Platform.Thread(named: "backup") {
        let made = try? self.make(isByHand: isByHand, changes)
        continuation.resume(returning: made ?? LastBackup(error: "Another backup is in progress."))
      }
      if thread == nil { continuation.resume(returning: LastBackup(error: "There is no thread.")) }
    }
  }
}
