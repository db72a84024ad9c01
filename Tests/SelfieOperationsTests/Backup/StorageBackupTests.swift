import APITestSupport
import Cryptography
import Foundation
import Platform
import SQL
import SQLite
import TestSupport
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// Backups of a storage, as moments and as archives, and what is restored from them.
@Suite struct StorageBackupTests {
  private let storage: BackedUpStorage
  private var bytes: Int64 { Int64(BackedUpStorage.images.reduce(0) { $0 + $1.count }) }

  init() async throws {
    storage = try await BackedUpStorage()
  }

  private var source: String { storage.api.folder.path }

  /// By a connection of its own, as if the server did it; the fixture's writer is at rest.
  private func sql(_ sql: String, of path: String? = nil) throws {
    let connection = try Connection(path: path ?? "\(source)/selfie.sqlite3", mode: .readWrite)
    try connection.execute(sql)
    connection.close()
  }

  private func pooled(_ id: String) throws -> String {
    try String(storage.place.path.dropFirst(storage.folder.path.count + 1)) + "/" + StorageLayout.photo(id)
  }

  @Test(arguments: [false, true]) func `what was backed up is restored, to the byte`(isArchive: Bool) async throws {
    let description = try isArchive ? storage.makeTar() : storage.make().description
    #expect([description.users, description.photos, description.photoBytes] == [4, 5, bytes])
    #expect(description.isComplete && description.hasCredentials)
    let path = isArchive ? storage.file : nil
    #expect(try storage.verify(path ?? storage.folder.path).lost == 0)
    let found = try storage.restore(path)
    #expect([found.users, found.photos, found.photoBytes, found.lost] == [4, 5, bytes, 0])
    #expect(
      try BackedUpStorage.rows(of: "\(storage.folder.path)/restored/selfie.sqlite3")
        == BackedUpStorage.rows(of: "\(source)/selfie.sqlite3"))
    for (id, image) in zip(storage.ids, BackedUpStorage.images) {
      #expect(try storage.folder.bytes(of: "restored/\(StorageLayout.photo(id))") == image)
    }
    #expect(
      try storage.folder.bytes(of: "restored/credentials.env") == storage.api.folder.bytes(of: "credentials.env"))
    #expect(await storage.findings() == [])
    #expect(try storage.folder.names(in: "restored").contains("restoring") == false)
    // Only the owner may read any of it.
    for name in try FileManager.default.subpathsOfDirectory(atPath: storage.folder.path) where name != "restored" {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(storage.folder.path)/\(name)")
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
    }
  }

  @Test func `the second backup adds only what is new, and another one gets a name of its own`() async throws {
    let first = try storage.make()
    #expect(first.description.newBytes == bytes + first.description.databaseBytes)
    _ = try await storage.api.newPhoto(Samples.bytes(77), token: storage.token)
    let second = try storage.make()
    #expect(second.description.newBytes == 77 + second.description.databaseBytes)
    #expect(second.moment.name > first.moment.name)
    #expect(try storage.place.moments() == [second.moment, first.moment])
  }

  @Test func `photos that come and go while it is made are in it whole, or not at all`() async throws {
    let files = PhotoFiles(storage: source)
    var isFirst = true
    let description = try storage.make(report: { progress, _ in
      guard progress.activity == "Backing up", isFirst else { return }
      isFirst = false
      // As a server deletes: the row, then the file.
      try sql("DELETE FROM photos WHERE random_id = '\(storage.ids[3])'")
      try files.remove(storage.ids[3])
      try sql("DELETE FROM users WHERE email = 'john@example.com'")
    }).description
    // The user was deleted after the instant of the backup.
    #expect([description.photos, description.lacking, description.users] == [4, 0, 4])
    try storage.restore()
    #expect(await storage.findings() == [])
  }

  @Test func `a photo that the storage loses stays whole in the pool, and is named`() throws {
    try storage.make()
    let paths = storage.ids.map(StorageLayout.photo)
    var flipped = BackedUpStorage.images[3]
    flipped[7] ^= 1
    try storage.api.folder.remove(paths[0])
    try storage.api.folder.write([1, 2, 3], to: paths[1])
    try storage.api.folder.write(flipped, to: paths[3])
    let description = try storage.make().description
    #expect(description.isComplete)
    #expect(Set(description.problems.map(\.id)) == Set([0, 1, 3].map { storage.ids[$0] }))
    #expect(description.problems.allSatisfy { $0.isInBackup && $0.reason.contains("restore --photo \($0.id)") })
    try storage.restore()
    for (id, image) in zip(storage.ids, BackedUpStorage.images) {
      #expect(try storage.folder.bytes(of: "restored/\(StorageLayout.photo(id))") == image)
    }
  }

  @Test func `a photo that no backup has is named, and the rest is restored if that is wanted`() throws {
    try storage.api.folder.remove(StorageLayout.photo(storage.ids[0]))
    let made = try storage.make()
    #expect(made.description.lacking == 1 && made.description.problems.map(\.id) == [storage.ids[0]])
    #expect {
      try storage.restore()
    } throws: {
      "\($0)".contains("No backup in \(storage.folder.path) is complete") && "\($0)".contains("--skip-damaged")
    }
    #expect(throws: OperationError.self) { try storage.restore(made.moment.path) }
    #expect(try storage.folder.names(in: "restored") == [])
    var lost: [String] = []
    #expect(try storage.restore(skipsDamaged: true, lose: { lost.append($0.id) }).photos == 4)
    #expect(lost == [storage.ids[0]])
  }

  @Test func `a damaged photo of the pool is replaced by the storage's, and by nothing else`() throws {
    try storage.make()
    let path = try pooled(storage.ids[2])
    var damaged = BackedUpStorage.images[2]
    damaged[100] ^= 1
    try storage.folder.write(damaged, to: path)
    #expect(try storage.make().description.problems == [])
    #expect(try storage.folder.bytes(of: path) == BackedUpStorage.images[2])
    // Damaged on both sides: neither replaces the other, and both are named.
    try storage.folder.write(damaged, to: path)
    var other = BackedUpStorage.images[2]
    other[9] ^= 1
    try storage.api.folder.write(other, to: StorageLayout.photo(storage.ids[2]))
    let description = try storage.make().description
    #expect(description.lacking == 1 && description.problems.map(\.id) == [storage.ids[2]])
    #expect(try storage.folder.bytes(of: path) == damaged)
    #expect(try storage.api.folder.bytes(of: StorageLayout.photo(storage.ids[2])) == other)
  }

  @Test(arguments: [false, true]) func `a damaged database leaves no backup`(isArchive: Bool) async throws {
    let root = try #require(
      try storage.api.database.read {
        try $0.first("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'users' AND type = 'index'", as: Int64.self)
      })
    try await storage.api.database.write { try $0.execute("SELECT 1") }
    let copy = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: source, toPath: "\(copy.path)/s")
    let connection = try Connection(path: "\(copy.path)/s/selfie.sqlite3", mode: .readWrite)
    connection.close()
    var bytes = try copy.bytes(of: "s/selfie.sqlite3")
    let at = try #require(bytes[(Int(root - 1) * 4096)...].firstRange(of: Array("@example".utf8)))
    bytes[at.lowerBound + 2] ^= 1
    try copy.write(bytes, to: "s/selfie.sqlite3")
    let backup = StorageBackup(storage: "\(copy.path)/s", now: 0)
    let folder = BackupFolder(in: copy.path, of: try backup.identity())
    _ = try FileSystem.makeFolder(folder.path)
    #expect {
      if isArchive {
        _ = try PartialFile.make("\(copy.path)/x.tar", replaces: false) {
          try backup.writeTar(to: $0.file, name: "x")
        }
      } else {
        _ = try backup.makeMoment(in: folder)
      }
    } throws: {
      "\($0)".contains("selfie.sqlite3 is damaged: ")
    }
    #expect(try folder.moments() == [] && folder.unfinished() == [])
    #expect(try copy.names(in: "").filter { $0.contains("tar") } == [])
  }

  @Test(arguments: ["Copying the database", "Checking the database", "Backing up: 3 of"])
  func `one that is given up leaves no moment, and the next completes it`(_ last: String) async throws {
    #expect(throws: CancellationError.self) {
      try storage.make(report: { progress, _ in if progress.text.hasPrefix(last) { throw CancellationError() } })
    }
    #expect(try storage.place.moments() == [] && storage.place.unfinished() == [])
    try storage.make()
    #expect(try storage.verify(storage.folder.path).lost == 0)
  }

  @Test func `what a killed one has left is removed`() throws {
    let place = try storage.place
    let left = "\(place.path)/.2026-01-01T00-00-00Z-3fa90c12"
    for path in [place.path, left] { _ = try FileSystem.makeFolder(path) }
    try storage.make()
    #expect(try !FileSystem.exists(left))
  }

  @Test func `two at a time are refused`() throws {
    let path = try storage.place.path
    var second: (any Error)?
    try storage.make(report: { _, _ in
      if second == nil {
        do { try storage.make() } catch { second = error }
      }
    })
    #expect("\(try #require(second))" == "Another backup into \(path) is in progress. Wait for it to finish.")
  }

  @Test func `an archive replaces no file`() throws {
    try storage.folder.write(Array("mine".utf8), to: "selfie.tar")
    let error = #expect(throws: OperationError.self) {
      try PartialFile.make(storage.file, replaces: false, advice: "since …") { _ in }
    }
    #expect(error?.description.contains("selfie.tar already exists. Choose another name, since …") == true)
    #expect(try storage.folder.text(of: "selfie.tar") == "mine")
  }

  @Test func `a row of nobody is no reason to refuse`() throws {
    try sql("PRAGMA foreign_keys = OFF; DELETE FROM users WHERE email = 'john@example.com'")
    try sql(
      "PRAGMA foreign_keys = OFF; INSERT INTO notes SELECT NULL, 99, title, body, byte_count, created_at, updated_at FROM notes LIMIT 1"
    )
    var warnings: [String] = []
    #expect(try storage.make(warn: { warnings.append($0) }).description.isComplete)
    #expect(warnings.contains { $0.contains("belongs to a row of users that is not there") })
    #expect(try storage.restore().orphans.isEmpty == false)
  }

  @Test func `a restore begins a new line`() throws {
    try storage.make()
    try storage.restore()
    let restored = "\(storage.folder.path)/restored"
    let lines = try [source, restored].map { folder in
      let connection = try Connection(path: "\(folder)/selfie.sqlite3", mode: .readOnly)
      defer { connection.close() }
      return try #require(try connection.first(BackupStateStore.state, as: BackupState.self))
    }
    #expect(lines[0].line != lines[1].line && lines[1].lineBeganAt == storage.api.clock.now)
    #expect(!lines[1].hasFolder)
  }

  @Test func `a restore removes nothing that it has not placed`() throws {
    try storage.make()
    // The owner's file came between an interrupted run and the next.
    try storage.folder.write("mine", to: "other/credentials.env")
    try storage.folder.write("half", to: "other/restoring/selfie.sqlite3")
    #expect(throws: OperationError.self) { try storage.restore(to: "other") }
    #expect(try storage.folder.text(of: "other/credentials.env") == "mine")
    // What it had placed is placed anew.
    try storage.folder.remove("other/credentials.env")
    try storage.folder.write("old", to: "other/photos/ab/x")
    let inode = try #require(try FileSystem.status("\(storage.folder.path)/other/photos")).inode
    try storage.folder.write("\(inode) photos\n", to: "other/restoring/placing")
    #expect(StorageRestore.isUnfinished(in: "\(storage.folder.path)/other"))
    try storage.restore(to: "other")
    #expect(!storage.folder.exists("other/photos/ab/x"))
  }

  @Test func `links in the folder are not followed`() throws {
    let elsewhere = try TemporaryFolder()
    let place = try storage.place
    _ = try FileSystem.makeFolder(place.path)
    try FileManager.default.createSymbolicLink(atPath: "\(place.path)/photos", withDestinationPath: elsewhere.path)
    #expect { try storage.make() } throws: { "\($0)".contains("is a link") }
    #expect(try elsewhere.names(in: "") == [])
  }
}
