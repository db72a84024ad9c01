import APITestSupport
import Foundation
import Glibc
import HTTPMessages
import Platform
import SQL
import SQLite
import TestSupport
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// A check of the storage.
@Suite struct StorageCheckTests {
  private static let id = "qr" + String(repeating: "s", count: Photo.idLength - 2)
  private let storage: CheckedStorage

  init() async throws {
    storage = try await CheckedStorage()
  }

  @Test(arguments: [false, true])
  func `finds nothing where nothing is wrong, and changes nothing`(_ isServed: Bool) async throws {
    let storage = try await CheckedStorage(with: .ofFamilies)
    let outcome = await storage.check(isServed: isServed)
    #expect(outcome.summary == [])
    #expect(outcome.failures == [])
    #expect(outcome.counts.photos == 3 && outcome.counts.digests == 3)
    #expect(outcome.counts.notes == 3 && outcome.counts.blogposts == 2)
    #expect(await storage.check { $0.readsPhotos = false }.counts.digests == 0)
    #expect(await storage.repair().summary == [])
    #expect(try storage.folder.files(in: "photos").count == 3)
  }

  @Test func `finds a photo whose file is missing, and deletes its row only when told to`() async throws {
    try storage.folder.remove(storage.path(1))
    let finding = "missing_file \(storage.path(1))"
    #expect(await storage.check().summary == [finding])
    #expect(await storage.repair().summary == [finding])
    #expect(await storage.repair { $0.dropsMissing = true }.summary == ["\(finding) !"])
    let after = await storage.repair()
    #expect(after.summary == [])
    #expect(after.counts.photos == 2)
    #expect(try APIFixture(after: storage.api).count("SELECT count(*) FROM removed_photos") == 0)
  }

  @Test func `leaves all rows alone when not a single photo is there`() async throws {
    try storage.folder.remove("photos")
    try storage.folder.makeFolder("photos")
    let outcome = await storage.repair { $0.dropsMissing = true }
    #expect(outcome.failures.contains { $0.contains("Is its disk mounted?") })
    #expect(await storage.repair().counts.photos == 3)
  }

  @Test func `keeps the rows of photos whose folder is a link`() async throws {
    let (folder, elsewhere) = (String(storage.path(0).dropLast(Photo.idLength + 1)), try TemporaryFolder())
    let path = "\(storage.folder.path)/\(folder)"
    try FileManager.default.moveItem(atPath: path, toPath: "\(elsewhere.path)/photos")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(elsewhere.path)/photos")
    let outcome = await storage.repair { $0.dropsMissing = true }
    #expect(outcome.summary == ["wrong_kind \(folder)"])
    #expect(storage.folder.exists(storage.path(0)))
    #expect(try APIFixture(after: storage.api).count("SELECT count(*) FROM photos") == 3)
  }

  private func photoCount(_ path: String) throws -> Int64? {
    let connection = try Connection(path: path, mode: .readOnly)
    defer { connection.close() }
    return try connection.first("SELECT count(*) FROM photos") { $0.integer(0) }
  }

  private func storage(ofPhotos count: Int) async throws -> CheckedStorage {
    let storage = try await CheckedStorage(photos: count)
    #expect(await storage.check().counts.photos == count)
    return storage
  }

  @Test(arguments: [".DS_Store", "ab/", "one photo", "another photo"])
  func `deletes no row of many photos whose files are missing, whatever else is there, unless the owner agrees`(
    _ stray: String
  ) async throws {
    let storage = try await storage(ofPhotos: 20)
    for number in storage.ids.indices where stray != "one photo" || number > 0 {
      try storage.folder.remove(storage.path(number))
    }
    switch stray {
    case "one photo": break
    case "another photo": try storage.folder.write([1], to: "photos/qr/\(Self.id)")
    case "ab/": try storage.folder.makeFolder("photos/ab")
    default: try storage.folder.write([1], to: "photos/\(stray)")
    }
    let refused = await storage.repair { $0.dropsMissing = true }
    let reason = stray == "one photo" ? "19 of 20 photos have no file." : "Not one of the 20 photos of selfie.sqlite3"
    #expect(refused.failures.count == 1 && refused.failures[0].contains(reason), "\(refused.failures)")
    #expect(!storage.folder.exists("lost+found"))
    #expect(try photoCount("\(storage.folder.path)/selfie.sqlite3") == 20)

    let agreed = await storage.repair {
      $0.dropsMissing = true
      $0.confirm = { _ in }
    }
    guard stray == "one photo" else { return #expect(agreed.failures == refused.failures) }
    #expect(agreed.failures == [])
    let lines = try storage.folder.text(of: "lost+found/photos.jsonl").split(separator: "\n")
    #expect(lines.count == 19)
    #expect(lines.allSatisfy { line in storage.ids.dropFirst().contains { line.contains("\"random_id\":\"\($0)\"") } })
    let copies = try storage.folder.names(in: "").filter { $0.hasPrefix("selfie.sqlite3.before-repair-") }
    try #require(copies.count == 1)
    #expect(try photoCount("\(storage.folder.path)/\(copies[0])") == 20)
    #expect(await storage.check().counts.photos == 1)
  }

  @Test func `moves many files without rows only if the owner agrees, and none of a storage without accounts`()
    async throws
  {
    let storage = try await storage(ofPhotos: 3)
    let strays = (0..<11).map { "photos/qr/stray\($0)" }
    for path in strays { try storage.folder.write([1], to: path) }
    let refused = await storage.repair()
    #expect(
      refused.failures.count == 1
        && refused.failures[0].hasPrefix("11 of 14 files in photos belong to no photo."), "\(refused)")
    #expect(strays.allSatisfy(storage.folder.exists))
    #expect(await storage.repair { $0.confirm = { _ in } }.counts.repaired >= 11)

    let empty = try APIFixture()
    empty.database.close()
    try empty.folder.write([1], to: "photos/qr/\(Self.id)")
    let outcome = await CheckOutcome(of: empty.folder.path, now: 0) { $0.repairs = true }
    #expect(outcome.failures.count == 1 && outcome.failures[0].contains("has no account and no photo"), "\(outcome)")
    #expect(empty.folder.exists("photos/qr/\(Self.id)"))
  }

  /// Two names of one folder, as a file system that ignores case has.
  @Test(.enabled(if: SmallDisk.isPossible))
  func `knows a photo in a folder that is shown by another spelling`() async throws {
    let storage = try await storage(ofPhotos: 1)
    let folder = storage.ids[0].prefix(2)
    let other = "\(storage.folder.path)/photos/\(String(folder).swappingCase)"
    try storage.folder.makeFolder("photos/\(String(folder).swappingCase)")
    try #require(mount("\(storage.folder.path)/photos/\(folder)", other, nil, UInt(MS_BIND), nil) == 0)
    defer { umount2(other, Int32(MNT_DETACH)) }
    #expect(await storage.check().summary == [])
    #expect(await storage.repair().summary == [])
  }

  @Test func `finds ids that no server makes, and follows none as a path`() async throws {
    try storage.folder.write([1], to: "photos/secret")
    try await storage.api.database.write { tx in
      try tx.run(Query("UPDATE photos SET id = -1 WHERE id = 1"))
      try tx.run(Query("UPDATE photos SET random_id = '../secret' WHERE id = 2"))
      try tx.run(Query("DELETE FROM removed_photos"))
      try tx.run(
        Query("INSERT INTO removed_photos VALUES ('/../secret'), ((SELECT random_id FROM photos WHERE id = 3))"))
    }
    let outcome = await storage.check()
    let invalid = outcome.findings.filter { $0.kind == .invalidRow }.map(\.message)
    #expect(invalid.count == 3, "\(outcome.findings)")
    #expect(invalid.contains { $0.contains("its id is -1") } && invalid.contains { $0.contains("is not 41 letters") })
    let repaired = await storage.repair()
    #expect(repaired.findings.contains { $0.kind == .invalidRow && $0.isRepaired })
    #expect(storage.folder.exists("lost+found/secret") && storage.folder.exists(storage.path(2)))
  }

  /// The first leaf of the table in the place of the last one, as a misdirected write leaves it.
  @Test func `ends though rows are out of order`() async throws {
    try await storage.api.database.write { tx in
      try tx.run(
        Query(
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
          INSERT INTO notes (user_id, title, body, byte_count, created_at, updated_at)
          SELECT 1, 'title', printf('%0100d', i), 105, 0, 0 FROM n
          """))
    }
    storage.api.database.close()
    try DamagedTable(at: "\(storage.folder.path)/selfie.sqlite3", table: "notes").putFirstLeafOverLast()
    let outcome = await storage.check()
    #expect(outcome.findings.contains { $0.kind == .databaseDamage && $0.message.contains("doctor --salvage FOLDER") })
    #expect(outcome.failures.contains { $0.contains("rows are out of order") }, "\(outcome.failures)")

    let lost = Monitor<[String]>([])
    let target = "\(storage.folder.path)/new"
    let salvage = StorageSalvage(of: storage.folder.path, into: target, now: 0) { line in
      lost.withLock { $0.append(line) }
    }
    let saved = try salvage.run()
    #expect(saved.users == 1 && saved.photos == 3)
    let after = await CheckOutcome(of: target, now: unixMilliseconds())
    #expect(after.summary == [] && after.failures == [], "\(after)")
    #expect((1800..<2000).contains(after.counts.notes), "\(after.counts)")
    #expect(lost.withLock { $0.contains { $0.hasPrefix("notes: ") } })
  }

  @Test func `finds a photo of another size, and one of other bytes if it reads them`() async throws {
    try storage.folder.write(Samples.png.dropLast(), to: storage.path(0))
    try storage.folder.write(Samples.jpeg.reversed(), to: storage.path(1))
    let (size, digest) = ("wrong_size \(storage.path(0))", "wrong_digest \(storage.path(1))")
    for outcome in [await storage.check { $0.readsPhotos = false }, await storage.check(), await storage.repair()] {
      let files = outcome.summary.filter { !$0.hasPrefix("permissions") }
      #expect(files == (outcome.counts.digests > 0 ? [size, digest] : [size]))
    }
  }

  @Test func `notes the digests of photos that are older than those`() async throws {
    try await storage.api.database.write { try $0.run("UPDATE photos SET sha256 = NULL WHERE id < 3") }
    let before = await storage.check()
    #expect(before.summary == [])
    #expect(before.counts.photosWithoutDigest == 2)
    #expect(before.counts.digests == 3)
    #expect(await storage.repair().counts.photosWithoutDigest == 0)
    try storage.folder.write(Samples.jpeg.reversed(), to: storage.path(1))
    #expect(await storage.check().summary.contains("wrong_digest \(storage.path(1))"))
  }

  @Test func `finds a link in place of a photo, and follows none when it sets files aside`() async throws {
    let folder = storage.folder
    let elsewhere = try TemporaryFolder()
    try elsewhere.write(Samples.png, to: "photo")
    try folder.remove(storage.path(0))
    for (name, target) in [(storage.path(0), "photo"), ("lost+found", "")] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/\(name)", withDestinationPath: "\(elsewhere.path)/\(target)")
    }
    try folder.write("stray", to: "photos/README")
    let expected = ["wrong_kind \(storage.path(0))", "wrong_kind lost+found", "orphan_file photos/README"]
    #expect(await storage.check().summary == expected)
    #expect(await storage.repair().summary.filter { !$0.hasPrefix("permissions") } == expected)
    #expect(folder.exists("photos/README"))
    #expect(try elsewhere.contents() == ["photo"])
  }

  @Test func `finds a foreign trigger, with which nothing is repaired`() async throws {
    try storage.folder.write("stray", to: "photos/README")
    try await storage.api.database.write {
      try $0.run("CREATE TRIGGER evil AFTER INSERT ON tokens BEGIN UPDATE users SET first_name = ''; END")
    }
    #expect(await storage.check().summary == ["schema selfie.sqlite3", "orphan_file photos/README"])
    let repair = await storage.repair()
    #expect(repair.summary.filter { !$0.hasPrefix("permissions") } == ["schema selfie.sqlite3"])
    #expect(repair.failures.count == 1)
    #expect(repair.findings.contains { $0.message.hasPrefix("it has the trigger evil, which no migration makes.") })
  }

  @Test func `corrects counts of photos that have no photos, and those of others`() async throws {
    try await storage.api.database.write { tx in
      try tx.run(Query("UPDATE photo_bytes SET photo_count = 9"))
      try tx.run(Query("INSERT INTO photo_bytes (user_id, byte_count, photo_count) VALUES (7, 0, 5)"))
    }
    let finding = "wrong_byte_count selfie.sqlite3"
    let found = await storage.check()
    #expect(found.summary == [finding])
    #expect(found.findings.first?.message.hasPrefix("the photos of 2 users or their bytes are counted wrongly") == true)
    #expect(await storage.repair().summary == ["\(finding) !"])
    #expect(await storage.check().summary == [])
    #expect(try APIFixture(after: storage.api).count("SELECT sum(photo_count) FROM photo_bytes") == 3)
  }

  @Test func `remarks on addresses that look the same`() async throws {
    for email in ["jo\u{308}rg@example.com", "j\u{f6}rg@example.com", "J\u{f6}rn@example.com"] {
      try await storage.api.signUp(email)
    }
    let remarks = await storage.check().remarks
    #expect(remarks.count == 1 && remarks[0].hasPrefix("2 accounts have addresses that look the same"), "\(remarks)")
  }

  @Test func `leaves alone what Finder, Explorer and a NAS put into every folder`() async throws {
    let folder = storage.folder
    let junk = [".DS_Store", "._x", "Thumbs.db", "@eaDir/x", ".snapshot/x", "#recycle/x", ".Trash-1000/x"]
    let places = ["", "photos/", "photos/\(storage.ids[0].prefix(2))/", "incoming/"]
    for place in places { for name in junk { try folder.write("junk", to: place + name) } }
    let outcome = await storage.check()
    #expect(!outcome.findings.contains { $0.kind != .permissions }, "\(outcome)")
    _ = await storage.repair()
    #expect(!folder.exists("lost+found") && folder.exists("photos/.DS_Store"))
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func `sets files aside elsewhere where lost+found is the file system's own`() async throws {
    // Not even root may write there.
    let folder = storage.folder
    try folder.makeFolder("lost+found")
    try #require(mount("tmpfs", "\(folder.path)/lost+found", "tmpfs", UInt(MS_RDONLY), "size=1m") == 0)
    defer { umount2("\(folder.path)/lost+found", Int32(MNT_DETACH)) }
    try folder.write("stray", to: "photos/README")
    let outcome = await storage.repair()
    #expect(outcome.findings.contains { $0.message.hasSuffix("it is moved to lost+found.selfie/README") }, "\(outcome)")
  }

  @Test func `finds files that no row knows, and sets them aside`() async throws {
    let folder = storage.folder
    try folder.makeFolder("photos/qr")
    try folder.makeFolder("photos/no photos")
    let strays = [
      "photos/qr/\(Self.id)", "photos/qr/.hidden", "photos/no photos", "photos/README", "photos/qr/README",
    ]
    for path in strays where path != "photos/no photos" { try folder.write(Array(path.utf8), to: path) }
    // A photo in another one's folder does no harm, but no request finds it there.
    try folder.link(storage.path(0), to: "photos/qr/\(storage.ids[0])")

    let expected = Set((strays + ["photos/qr/\(storage.ids[0])"]).map { "orphan_file \($0)" })
    #expect(Set(await storage.check().summary.filter { $0.hasPrefix("orphan") }) == expected)
    #expect(!folder.exists("lost+found"))
    #expect(Set(await storage.repair().summary.filter { $0.hasPrefix("orphan") }) == Set(expected.map { "\($0) !" }))
    #expect(
      Set(try folder.names(in: "lost+found"))
        == [Self.id, ".hidden", "no photos", "README", "README.2", storage.ids[0]])
    #expect(try folder.bytes(of: "lost+found/\(Self.id)") == Array("photos/qr/\(Self.id)".utf8))
    let after = await storage.repair()
    #expect(after.summary == [])
    #expect(after.counts.photos == 3)
  }

  @Test func `tells uploads under way from what uploads left behind`() async throws {
    let folder = storage.folder
    try folder.makeFolder("photos/qr")
    try folder.write([1], to: "incoming/\(Self.id)")
    try folder.link("incoming/\(Self.id)", to: "photos/qr/\(Self.id)")
    func uploads(_ outcome: CheckOutcome) -> [String] {
      outcome.summary.filter { !$0.hasPrefix("permissions") }
    }
    let served = await storage.check(isServed: true)
    #expect(uploads(served) == [])
    #expect(served.counts.uploadsUnderWay == 1)
    #expect(uploads(await storage.check()) == ["stale_upload incoming/\(Self.id)"])

    let days = Date(timeIntervalSinceNow: -90_000)
    try FileManager.default.setAttributes(
      [.modificationDate: days], ofItemAtPath: "\(folder.path)/incoming/\(Self.id)")
    #expect(uploads(await storage.check(isServed: true)) == ["stale_upload incoming/\(Self.id)"])
    #expect(uploads(await storage.repair()) == ["stale_upload incoming/\(Self.id) !"])
    #expect(try folder.files(in: "incoming") == [])
    #expect(!folder.exists("photos/qr/\(Self.id)"))
  }

  @Test func `finds deleted photos that are still there, and removes them`() async throws {
    try await storage.api.database.write { try $0.run("DELETE FROM photos WHERE id = 2") }
    let finding = "removal_pending \(storage.path(1))"
    #expect(await storage.check().summary == [finding])
    #expect(await storage.check(isServed: true) { $0.recheckDelay = 0 }.summary == [finding])
    #expect(await storage.repair().summary == ["\(finding) !"])
    #expect(!storage.folder.exists(storage.path(1)))
    #expect(await storage.repair().summary == [])
  }
}

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
    #expect(failures.first?.contains(" has 3 photos, and selfie.sqlite3 is missing.") == true, "\(failures)")
    try nowhere.folder.remove("photos")
    #expect(await nowhere.check().failures.first?.hasPrefix("There is no storage in ") == true)
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
