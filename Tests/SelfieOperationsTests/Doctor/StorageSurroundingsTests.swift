import Foundation
import HTTPMessages
import Platform
import SQL
import SQLite
import TestSupport
import Testing

@testable import SelfieOperations

/// A check of what is around the photos.
@Suite struct StorageSurroundingsTests {
  @Test func `finds what others may read, and closes it`() async throws {
    let storage = try await CheckedStorage()
    let path = storage.folder.path
    try storage.folder.write([], to: "credentials.env")
    for (name, mode): (String, UInt32) in [
      ("credentials.env", 0o640), ("selfie.sqlite3", 0o604), ("photos", 0o711), (".", 0o755),
      (storage.path(0), 0o644), (storage.path(1), 0o620),
    ] {
      try FileSystem.setPermissions("\(path)/\(name)", mode)
    }
    let expected = [path, "selfie.sqlite3", "credentials.env", "photos", "photos"].map { "permissions \($0)" }
    let outcome = await storage.check()
    #expect(outcome.summary == expected)
    #expect(outcome.findings.last?.message.hasPrefix("2 files and folders in it that other users") == true)
    #expect(await storage.repair().summary == expected.map { "\($0) !" })
    #expect(await storage.check().summary == [])
    for (name, mode): (String, UInt32) in [
      ("credentials.env", 0o600), ("selfie.sqlite3", 0o600), ("photos", 0o700), (".", 0o700), (storage.path(1), 0o600),
    ] {
      #expect(try FileSystem.status("\(path)/\(name)")?.permissions == mode, "\(name)")
    }
  }

  @Test func `finds a damaged database`() async throws {
    let storage = try await CheckedStorage()
    try await storage.api.database.write { try $0.run("CREATE TABLE extra AS SELECT randomblob(3000) AS bytes") }
    storage.api.database.close()
    let file = try #require(FileHandle(forUpdatingAtPath: "\(storage.folder.path)/selfie.sqlite3"))
    // The last page is the new table's.
    try file.seek(toOffset: try file.seekToEnd() - 4096)
    try file.write(contentsOf: Data(repeating: 0xa5, count: 4096))
    try file.close()
    let outcome = await storage.check()
    // The table is no migration's.
    #expect(Set(outcome.findings.map(\.kind)) == [.databaseDamage, .schema], "\(outcome)")
    #expect(outcome.findings.allSatisfy { $0.message.lowercased().contains("restore a backup") })
    // The photos can be looked at nonetheless.
    #expect(outcome.counts.digests == 3)
    let repaired = await storage.repair()
    #expect(repaired.failures == ["The rest was not checked: a damaged database cannot be repaired."])
  }

  @Test func `looks at no photo of a schema that it does not know`() async throws {
    let storage = try await CheckedStorage()
    try await storage.api.database.write { connection in
      try connection.run("INSERT INTO schema_migrations VALUES ('0999_later', '', 0)")
    }
    for outcome in [await storage.check(), await storage.repair()] {
      #expect(outcome.summary == ["schema selfie.sqlite3"])
      #expect(outcome.findings.first?.message.contains("it comes from a newer selfie-server") == true)
      #expect(outcome.counts.photos == 0)
    }
  }

  @Test func `brings a database of an earlier version up to date when it repairs`() async throws {
    let folder = try TemporaryFolder()
    for name in ["photos", "incoming"] { try folder.makeFolder(name) }
    let connection = try Connection(path: "\(folder.path)/selfie.sqlite3", mode: .readWrite)
    _ = try Migrations(Array(Migrations.sqlite.steps.prefix(3))).run(on: connection, now: 0)
    connection.close()
    let before = await CheckOutcome(of: folder.path, now: 0)
    let finding = try #require(before.findings.last)
    #expect(finding.kind == .schema && finding.message.contains("0004_add_photo_digests"), "\(before)")
    let repair = await CheckOutcome(of: folder.path, now: 0) { $0.repairs = true }
    #expect(repair.summary.last == "schema selfie.sqlite3 !")
    #expect(await CheckOutcome(of: folder.path, now: 0).findings.allSatisfy { $0.kind == .permissions })
  }

  @Test func `says what it cannot look at, and looks at the rest`() async throws {
    let storage = try await CheckedStorage()
    try storage.folder.replaceByFile("photos/\(storage.ids[0].prefix(2))")
    let outcome = await storage.check()
    #expect(outcome.failures.contains { $0.contains("Not a directory") })
    #expect(outcome.counts.photos == 3)
    #expect(outcome.counts.digests >= 1)

    let nowhere = try await CheckedStorage()
    nowhere.api.database.close()
    try nowhere.folder.remove("selfie.sqlite3")
    let failures = await nowhere.check().failures
    #expect(failures.count == 1)
    #expect(failures.first?.hasPrefix("There is no storage in ") == true)
    try nowhere.folder.remove("")
    #expect(await nowhere.check().failures.first?.contains("There is no folder") == true)
  }

  @Test func `speaks to people in lines and to scripts in JSON`() throws {
    let finding = StorageIssue(kind: .orphanFile, subject: "photos/ab/\"x\"", message: "m", isRepaired: true)
    #expect(finding.line == "repaired: photos/ab/\"x\": m")
    #expect(
      String(decoding: try JSONWriter.encode(finding), as: UTF8.self)
        == #"{"kind":"orphan_file","subject":"photos/ab/\"x\"","message":"m","repaired":true}"#)
    var counts = CheckCounts()
    counts.photos = 5
    counts.failures = 1
    #expect(
      String(decoding: try JSONWriter.encode(counts), as: UTF8.self)
        == #"{"photos":5,"digests":0,"photos_without_digest":0,"uploads_under_way":0,"#
        + #""notes":0,"blogposts":0,"findings":0,"repaired":0,"failures":1}"#)
  }
}
