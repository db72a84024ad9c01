import APITestSupport
import Foundation
import HTTPMessages
import SQLite
import SelfieAPI
import TestSupport
import Testing

@testable import SelfieOperations

/// The backups that a server makes automatically, at times that the test sets.
@Suite struct ScheduledBackupsTests {
  private static let day: Int64 = 86_400_000

  private let storage: BackedUpStorage
  private var clock: SettableClock { storage.api.clock }
  private let folder: TemporaryFolder

  init() async throws {
    storage = try await BackedUpStorage()
    folder = try TemporaryFolder()
  }

  private func backups(every interval: Int64 = day, keep: String = "2d") throws -> ScheduledBackups {
    try ScheduledBackups(
      in: folder.path, every: interval, keeping: try #require(BackupRetention(keep)),
      storage: storage.api.folder.path, database: storage.api.database, clock: { [clock] in clock.now })
  }

  private func names() throws -> [String] { try folder.names(in: "").sorted() }

  /// The name of the storage's backup of a day at the clock's time.
  private func name(_ day: String = "2026-11-20", _ end: String = "") throws -> String {
    let database = try Connection(path: StorageLayout(folder: storage.api.folder.path).database, mode: .readOnly)
    let identity = database.storageIdentity ?? "none"
    return "selfie-\(day)T22-24-16Z-\(identity).tar\(end)"
  }

  @Test func `the first is due at once, and each other an interval after the one before`() throws {
    let backups = try backups()
    #expect(backups.last == LastBackup())
    #expect(backups.wait == 0)
    let last = backups.make()
    #expect(last == backups.last)
    #expect(last.file == "\(folder.path)/\(try name())")
    #expect(last.time == clock.now / 1000 * 1000)
    #expect(last.byteCount == Int64(try folder.bytes(of: name()).count))
    #expect(last.isVerified && last.error == nil)
    #expect(backups.wait == Self.day - clock.now % 1000)
    clock.advance(seconds: 86_399)
    #expect((1...1000).contains(backups.wait))
    clock.advance(seconds: 1)
    #expect(backups.wait == 0)
  }

  @Test func `a restart neither skips one nor makes one too many`() throws {
    let first = try backups().make()
    clock.advance(seconds: 3600)
    let restarted = try backups()
    #expect(restarted.last == first)
    #expect(restarted.wait == Self.day - 3_600_000 - clock.now % 1000)
    clock.advance(seconds: 10 * 86_400)
    #expect(try backups().wait == 0)
  }

  @Test func `a clock that was set back delays none, and what it has made is not counted`() throws {
    let running = try backups(keep: "1")
    _ = running.make()
    clock.advance(seconds: -1000 * 86_400)
    for backups in [running, try backups(keep: "1")] {
      #expect(backups.wait == 0)
      #expect(backups.make().error == nil)
      #expect(backups.wait == Self.day - clock.now % 1000)
      clock.advance(seconds: 86_400)
    }
    #expect(try names() == [name("2024-02-25"), name()])
  }

  @Test func `old ones are removed once there is a new one, and other files never`() throws {
    try folder.write("mine", to: "selfie.tar")
    try folder.write("mine", to: "selfie-2020-01-01.tar")
    let backups = try backups(keep: "2d")
    for _ in 0..<3 {
      #expect(backups.make().error == nil)
      clock.advance(seconds: 86_400)
    }
    #expect(
      try names() == [
        "selfie-2020-01-01.tar", name("2026-11-21"), name("2026-11-22"), "selfie.tar",
      ])
  }

  @Test func `backups of other storages are never removed, nor those that do not say of which they are`() throws {
    let others = ["selfie-2020-01-01T00-00-00Z-0123456789abcdef.tar", "selfie-2020-01-02T00-00-00Z.tar"]
    for name in others { try folder.write("theirs", to: name) }
    let backups = try backups(keep: "1")
    #expect(backups.last == LastBackup())
    for _ in 0..<2 {
      #expect(backups.make().error == nil)
      clock.advance(seconds: 86_400)
    }
    #expect(try names() == others + [name("2026-11-21")])
  }

  @Test(arguments: ["-0123456789abcdef", ""])
  func `an empty storage beside the backups of another makes none until it is used`(_ identity: String) async throws {
    let other = "selfie-2026-11-19T18-37-00Z\(identity).tar"
    try folder.write("theirs", to: other)
    let empty = try APIFixture()
    let backups = try ScheduledBackups(
      in: folder.path, every: Self.day, keeping: try #require(BackupRetention("1")), storage: empty.folder.path,
      database: empty.database, clock: { [clock] in clock.now })
    let last = backups.make()
    #expect(
      last.error == """
        This storage is new and empty, but \(folder.path) has backups of another one, the newest from 2026-11-19 18:37 \
        UTC. Is the disk of \(empty.folder.path) mounted? No backup is made or removed until you restore one, move the \
        old ones away, or something is stored here.
        """)
    #expect(last.time == nil && backups.wait == 3_600_000)
    #expect(try names() == [other])

    try await empty.signUp("john@example.com")
    #expect(backups.make().error == nil)
    #expect(try names().count == 2)
    // Of users who have been deleted since, there may be backups.
    let connection = try Connection(path: StorageLayout(folder: empty.folder.path).database, mode: .readWrite)
    try connection.execute("DELETE FROM users")
    clock.advance(seconds: 86_400)
    #expect(backups.make().error == nil)
    #expect(try names().contains(other) && names().count == 2)
  }

  @Test func `what a killed server has left is removed, and nothing else of that kind`() throws {
    try folder.write("x", to: name("2026-11-19", ".partial"))
    // Another server may be writing this.
    let others = "selfie-2026-11-19T22-24-16Z-0123456789abcdef.tar.partial"
    for name in ["other.tar.partial", others] { try folder.write("x", to: name) }
    #expect(try backups().make().error == nil)
    #expect(try names() == ["other.tar.partial", others, name()])
  }

  @Test func `a failure is reported with the newest backup, and tried again within an hour`() throws {
    let backups = try backups()
    let first = backups.make()
    clock.advance(seconds: 86_400)
    let elsewhere = "\(folder.path).moved"
    try FileManager.default.moveItem(atPath: folder.path, toPath: elsewhere)
    let failed = backups.make()
    try FileManager.default.moveItem(atPath: elsewhere, toPath: folder.path)
    #expect(failed.error?.contains("No such file or directory") == true)
    #expect((failed.file, failed.time) == (first.file, first.time))
    #expect(backups.wait == 3_600_000)
    clock.advance(seconds: 3600)
    #expect(backups.wait == 0)
    #expect(backups.make().error == nil)
    #expect(try names().count == 2)
    #expect(try self.backups(every: 2000).wait == 2000 - clock.now % 1000)
  }

  @Test func `a stop ends it, and leaves nothing`() throws {
    let backups = try backups()
    backups.stop()
    #expect(backups.make().error == "The server was stopped meanwhile.")
    #expect(try names() == [])
  }

  @Test func `a backup that lacks photos says so, and no older one is removed for it`() throws {
    let backups = try backups(keep: "1")
    #expect(backups.make().error == nil)
    try FileManager.default.removeItem(atPath: StorageLayout(folder: storage.api.folder.path).photo(storage.ids[0]))
    clock.advance(seconds: 86_400)
    let last = backups.make()
    #expect(
      last.error == """
        1 photo in the storage is missing or damaged: \(storage.ids[0].prefix(8))… (No such file or directory). The backup \
        has all others. Older backups are kept. Check the disk, and run selfie-server doctor.
        """)
    #expect(last.isVerified && last.file?.contains("2026-11-21") == true)
    #expect(try names().count == 2)
    #expect(backups.wait > 0)
  }

  @Test func `the public members name no path`() throws {
    let backups = try backups()
    func members() -> String {
      String(decoding: JSONWriter.object { backups.last.writePublicMembers(to: &$0) }, as: UTF8.self)
    }
    #expect(members() == #"{"time":null,"bytes":null,"verified":false,"failed":false}"#)
    let bytes = try #require(backups.make().byteCount)
    #expect(members() == #"{"time":"2026-11-20T22:24:16.000Z","bytes":\#(bytes),"verified":true,"failed":false}"#)
    backups.stop()
    _ = backups.make()
    #expect(members().hasSuffix(#""verified":true,"failed":true}"#))
  }
}
