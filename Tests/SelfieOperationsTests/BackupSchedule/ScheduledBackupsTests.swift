import Foundation
import HTTPMessages
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
    ScheduledBackups(
      in: folder.path, every: interval, keeping: try #require(BackupRetention(keep)),
      storage: storage.api.folder.path, clock: { [clock] in clock.now })
  }

  private func names() throws -> [String] { try folder.names(in: "").sorted() }

  @Test func `the first is due at once, and each other an interval after the one before`() throws {
    let backups = try backups()
    #expect(backups.last == LastBackup())
    #expect(backups.wait == 0)
    let last = backups.make()
    #expect(last == backups.last)
    #expect(last.file == "\(folder.path)/selfie-2026-11-20T22-24-16Z.tar")
    #expect(last.time == clock.now / 1000 * 1000)
    #expect(last.byteCount == Int64(try folder.bytes(of: "selfie-2026-11-20T22-24-16Z.tar").count))
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
    #expect(try names() == ["selfie-2024-02-25T22-24-16Z.tar", "selfie-2026-11-20T22-24-16Z.tar"])
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
        "selfie-2020-01-01.tar", "selfie-2026-11-21T22-24-16Z.tar", "selfie-2026-11-22T22-24-16Z.tar", "selfie.tar",
      ])
  }

  @Test func `what a killed server has left is removed, and nothing else of that kind`() throws {
    try folder.write("x", to: "selfie-2026-11-19T22-24-16Z.tar.partial")
    try folder.write("x", to: "other.tar.partial")
    #expect(try backups().make().error == nil)
    #expect(try names() == ["other.tar.partial", "selfie-2026-11-20T22-24-16Z.tar"])
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
    #expect(last.error?.contains("The storage has lost 1 photo and damaged 0 photos.") == true)
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
