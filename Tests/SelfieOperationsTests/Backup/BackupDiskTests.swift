import APITestSupport
import Cryptography
import Foundation
import Glibc
import Platform
import SQLite
import TestSupport
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// The disk of the backups: full, gone, read-only, of a simpler file system, or with a flipped bit.
@Suite struct BackupDiskTests {
  private let storage: BackedUpStorage

  init() async throws {
    storage = try await BackedUpStorage()
  }

  private func backups(in place: String, keep: String = "1") throws -> ScheduledBackups {
    try ScheduledBackups(
      in: place, every: 86_400_000, keeping: try #require(BackupRetention(keep)), storage: storage.api.folder.path,
      database: storage.api.database, clock: { [clock = storage.api.clock] in clock.now })
  }

  private func folder(in place: String) throws -> BackupFolder {
    try BackupFolder(in: place, of: storage.backup().identity())
  }

  /// What is missing or damaged in all backups of a place.
  private func problems(in place: String) throws -> [String] {
    var problems: [String] = []
    _ = try folder(in: place).verify(report: { _ in }, lose: { problems.append($0) })
    return problems
  }

  private func delete(_ id: String) async {
    _ = await storage.api.send("DELETE", "/api/delete_photo", as: .holder(of: storage.token), ["photo_id": id])
  }

  private func sql(_ sql: String) throws {
    let connection = try Connection(path: "\(storage.api.folder.path)/selfie.sqlite3", mode: .readWrite)
    defer { connection.close() }
    try connection.execute(sql)
  }

  /// Gives two photos ids that begin alike but for the case of the letters.
  private func nameAlike() throws -> [String] {
    let ids = ["qR", "Qr"].map { $0 + String(repeating: "x", count: 39) }
    let files = storage.api.folder
    for (old, new) in zip(storage.ids, ids) {
      try sql("UPDATE photos SET random_id = '\(new)' WHERE random_id = '\(old)'")
      try files.makeFolder("photos/\(new.prefix(2))")
      try files.move(StorageLayout.photo(old), to: StorageLayout.photo(new))
    }
    return ids + storage.ids[2...]
  }

  // MARK: - A simpler file system

  @Test(.enabled(if: LoopDisk.isPossible)) func `vfat keeps backups, and what a server removes there`() async throws {
    let disk = try LoopDisk(megabytes: 16)
    let ids = try nameAlike()
    let backups = try backups(in: disk.path)
    for _ in 0..<2 {
      #expect(await backups.made().error == nil)
      storage.api.clock.advance(seconds: 86_400)
    }
    await delete(ids[4])
    #expect(await backups.made().error == nil)
    let place = try folder(in: disk.path)
    #expect(try place.moments().count == 1)
    #expect(try problems(in: disk.path) == [])
    let pool = PhotoPool(of: place)
    #expect(try Set(pool.folders().flatMap { try pool.ids(in: $0) }) == Set(ids.dropLast()))
    try disk.makeReadOnly()
    #expect(try storage.restore(disk.path).photos == 4)
    #expect(await storage.findings() == [])
  }

  @Test func `a folder of the pool may have the photos of another spelling of its name`() async throws {
    let ids = try nameAlike()
    let backups = try backups(in: storage.folder.path)
    #expect(await backups.made().error == nil)
    // As vfat shows them: one folder for both.
    let place = try folder(in: storage.folder.path).path
    let other = "\(place)/photos/qR/\(ids[1])"
    #expect(link("\(place)/\(StorageLayout.photo(ids[1]))", other) == 0)
    for _ in 0..<2 {
      storage.api.clock.advance(seconds: 86_400)
      #expect(await backups.made().error == nil)
    }
    #expect(try problems(in: storage.folder.path) == [])
  }

  // MARK: - No room, no disk

  @Test(.enabled(if: SmallDisk.isPossible)) func `a full disk keeps the backups that it has, and says so`() async throws
  {
    let disk = try SmallDisk(megabytes: 4)
    let backups = try backups(in: disk.path, keep: "9")
    #expect(await backups.made().error == nil)
    let first = try folder(in: disk.path).moments()
    _ = try await storage.api.newPhoto(Samples.bytes(4_000_000), token: storage.token)
    try await storage.api.application.upkeep.noteDigests()
    storage.api.clock.advance(seconds: 3600)
    // It is known beforehand.
    #expect(await backups.made().error?.contains("There is no room for the backup at \(disk.path)") == true)
    // And comes as a surprise: others fill the disk meanwhile.
    try sql("UPDATE photos SET byte_count = 1000 WHERE byte_count = 4000000")
    try sql("DELETE FROM photos WHERE byte_count = 1000")
    _ = try await storage.api.newPhoto(Samples.bytes(1_000_000), token: storage.token)
    try await storage.api.application.upkeep.noteDigests()
    let place = try folder(in: disk.path)
    var isFull = false
    let backup = storage.backup(report: { progress, _ in
      if progress.activity == "Backing up", !isFull {
        try disk.fill()
        isFull = true
      }
    })
    #expect {
      try place.whileLocked { _ in try backup.makeMoment(in: place) }
    } throws: {
      "\($0)".contains("There is no room for the backup at ")
    }
    #expect(isFull)
    #expect(try place.moments() == first && place.unfinished() == [])
    #expect(try problems(in: disk.path) == [])
    disk.makeRoom()
    #expect(await backups.made().error == nil)
    #expect(try problems(in: disk.path) == [])
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func `a storage whose disk is full is backed up, and remembers that it was`() async throws {
    let disk = try SmallDisk(megabytes: 8)
    for name in try storage.api.folder.names(in: "") {
      try FileManager.default.copyItem(atPath: "\(storage.api.folder.path)/\(name)", toPath: "\(disk.path)/\(name)")
    }
    let database = try Database(path: "\(disk.path)/selfie.sqlite3", migrations: .sqlite, now: 0)
    defer { database.close() }
    try disk.fill()
    let backups = try ScheduledBackups(
      in: storage.folder.path, every: 86_400_000, keeping: try #require(BackupRetention("1")), storage: disk.path,
      database: database, clock: { [clock = storage.api.clock] in clock.now })
    #expect(await backups.made().error == nil)
    disk.makeRoom()
    storage.api.clock.advance(seconds: 86_400)
    #expect(await backups.made().error == nil)
    #expect(try problems(in: storage.folder.path) == [])
  }

  @Test(.enabled(if: SmallDisk.isPossible)) func `a read-only disk refuses new backups, and gives back old ones`()
    async throws
  {
    let disk = try SmallDisk(megabytes: 4)
    let backups = try backups(in: disk.path)
    #expect(await backups.made().error == nil)
    try disk.makeReadOnly()
    storage.api.clock.advance(seconds: 86_400)
    #expect(await backups.made().error?.contains("read-only") == true)
    #expect(try problems(in: disk.path) == [])
    #expect(try storage.restore(disk.path).photos == 5)
  }

  @Test func `a folder that goes away while a backup is made is an error, and what was there comes back`() async throws
  {
    let place = try storage.place
    try storage.make()
    let away = "\(storage.folder.path)/away"
    #expect(throws: (any Error).self) {
      try storage.make(report: { progress, _ in
        if progress.activity == "Backing up", !storage.folder.exists("away") {
          try FileManager.default.moveItem(atPath: place.path, toPath: away)
        }
      })
    }
    #expect(!place.exists)
    try FileManager.default.moveItem(atPath: away, toPath: place.path)
    #expect(try problems(in: storage.folder.path) == [])
    try storage.make()
    #expect(try place.unfinished() == [] && place.moments().count == 2)
  }

  // MARK: - A flipped bit

  /// Where a bit is flipped.
  enum Place: String, CaseIterable {
    case storage, pool, database, all
  }

  private func flip(_ path: String, at offset: Int) throws {
    var bytes = Array(try Data(contentsOf: URL(filePath: path)))
    bytes[offset < bytes.count ? offset : bytes.count - 1] ^= 4
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  @Test(arguments: Place.allCases) func `one flipped bit is named, and takes away nothing that is whole`(_ place: Place)
    async throws
  {
    let backups = try backups(in: storage.folder.path, keep: "2")
    #expect(await backups.made().error == nil)
    let (folder, id) = (try folder(in: storage.folder.path), storage.ids[2])
    let (first, pooled) = (try #require(try folder.moments().first), "\(folder.path)/\(StorageLayout.photo(id))")
    let file = "\(storage.api.folder.path)/\(StorageLayout.photo(id))"
    if [.storage, .all].contains(place) { try flip(file, at: 100) }
    if [.pool, .all].contains(place) { try flip(pooled, at: 300) }
    if [.database, .all].contains(place) { try flip(first.layout.database, at: 5000) }
    for number in 0..<3 {
      storage.api.clock.advance(seconds: 86_400)
      let last = await backups.made()
      let newest = try #require(try folder.moments().first)
      switch place {
      case .storage:
        #expect(last.error?.contains("restore --photo \(id)") == true && last.isVerified)
      case .pool:
        // It is healed from the storage.
        #expect(last.error == nil && last.isVerified)
      case .database: #expect(last.error == nil && last.isVerified)
      case .all:
        #expect(last.error?.contains("\(id): ") == true && !last.isVerified)
        #expect(try !newest.description().isComplete, "backup \(number)")
      }
      if [.database, .all].contains(place), FileManager.default.fileExists(atPath: first.path) {
        #expect(last.warnings.contains { $0.contains("\(first.name) is damaged") }, "\(last.warnings)")
        #expect(try problems(in: storage.folder.path).contains { $0.contains(first.name) })
      }
      for (other, image) in zip(storage.ids, BackedUpStorage.images) where other != id {
        #expect(try Array(Data(contentsOf: URL(filePath: "\(folder.path)/\(StorageLayout.photo(other))"))) == image)
      }
    }
    // Whatever was whole on one side is whole there still, and whatever was not has replaced nothing.
    let whole = BackedUpStorage.images[2]
    #expect(try (storage.api.folder.bytes(of: StorageLayout.photo(id)) == whole) == ![.storage, .all].contains(place))
    #expect(try (Array(Data(contentsOf: URL(filePath: pooled))) == whole) == (place != .all))
  }

  @Test func `other right bytes under an id replace none, however often they are backed up`() async throws {
    let backups = try backups(in: storage.folder.path, keep: "3")
    #expect(await backups.made().error == nil)
    let (folder, id) = (try folder(in: storage.folder.path), storage.ids[2])
    let path = "\(folder.path)/\(StorageLayout.photo(id))"
    for size in [512, 700] {
      let other = Samples.bytes(size).map { $0 ^ 0xff }
      try storage.api.folder.write(other, to: StorageLayout.photo(id))
      try sql(
        "UPDATE photos SET byte_count = \(size), sha256 = x'\(Digest.hex(Digest.sha256(other)))' WHERE random_id = '\(id)'"
      )
      // While a backup has the first ones, and longer.
      for _ in 0..<5 {
        storage.api.clock.advance(seconds: 86_400)
        let last = await backups.made()
        #expect(last.error?.contains("as after a second import") == true, "\(last)")
        #expect(try Array(Data(contentsOf: URL(filePath: path))) == BackedUpStorage.images[2])
      }
    }
    #expect(try folder.moments().contains { try $0.description().isComplete })
  }
}
