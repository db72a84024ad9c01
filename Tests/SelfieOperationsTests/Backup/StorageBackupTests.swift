import APITestSupport
import Foundation
import Platform
import SQLite
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// Backups of a storage.
@Suite struct StorageBackupTests {
  private let storage: BackedUpStorage

  init() async throws {
    storage = try await BackedUpStorage()
  }

  @Test func `what was backed up is restored, to the byte`() async throws {
    let summary = try storage.make()
    let bytes = BackedUpStorage.images.reduce(0) { $0 + $1.count }
    #expect(summary == .init(users: 4, photos: 5, photoBytes: Int64(bytes), hasCredentials: true))
    #expect(try storage.verify() == summary)
    #expect(try storage.restore() == summary)

    let restored = "\(storage.folder.path)/restored"
    #expect(
      try BackedUpStorage.rows(of: "\(restored)/selfie.sqlite3")
        == BackedUpStorage.rows(of: "\(storage.api.folder.path)/selfie.sqlite3"))
    for (id, image) in zip(storage.ids, BackedUpStorage.images) {
      #expect(try storage.folder.bytes(of: "restored/\(StorageLayout.photo(id))") == image)
    }
    #expect(
      try storage.folder.bytes(of: "restored/credentials.env")
        == storage.api.folder.bytes(of: "credentials.env"))
    #expect(await storage.findings() == [])
    #expect(try storage.folder.names(in: "restored").contains("restoring") == false)
    // Nothing is left next to the one, nor in the other.
    #expect(try storage.folder.names(in: "").sorted() == ["restored", "selfie.tar"])
    #expect(try storage.api.folder.names(in: "").filter { $0.hasPrefix("backup") } == [])
    // Only the owner may read any of it.
    for name in try FileManager.default.subpathsOfDirectory(atPath: storage.folder.path) where name != "restored" {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(storage.folder.path)/\(name)")
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
    }
  }

  @Test func `the storage knows when it was last backed up by hand, unless that lacks a photo`() throws {
    let layout = StorageLayout(folder: storage.api.folder.path)
    let scheduled = StorageBackup(storage: layout.folder, now: 0, isByHand: false)
    _ = try scheduled.make("\(storage.folder.path)/scheduled.tar", replaces: false)
    try storage.api.folder.remove(StorageLayout.photo(storage.ids[0]))
    #expect(try storage.make().missing == 1)
    #expect(StorageBackup.lastByHand(of: layout) == nil)
    try storage.api.folder.write(BackedUpStorage.images[0], to: StorageLayout.photo(storage.ids[0]))
    let before = unixMilliseconds() - 1000
    try storage.make(replaces: true)
    #expect(try #require(StorageBackup.lastByHand(of: layout)) >= before)
  }

  @Test func `photos that come and go while it is made are in it whole, or not at all`() async throws {
    let files = PhotoFiles(storage: storage.api.folder.path)
    var isFirst = true
    let summary = try storage.make { progress, _ in
      guard progress.activity == "Backing up", isFirst else { return }
      isFirst = false
      // As a server deletes: the row, then the file.
      try sql("DELETE FROM photos WHERE random_id = '\(storage.ids[3])'")
      try files.remove(storage.ids[3])
      try sql("DELETE FROM users WHERE email = 'john@example.com'")
    }
    // The user was deleted after the instant of the backup.
    #expect([summary.photos, summary.deletedMeanwhile, summary.missing, summary.users] == [4, 1, 0, 4])
    #expect(try storage.verify() == summary)
    try storage.restore()
    #expect(await storage.findings() == [])
  }

  @Test func `a backup of another storage is not replaced`() async throws {
    try storage.make()
    try storage.make(replaces: true)
    let empty = try APIFixture()
    func replace() throws {
      _ = try StorageBackup(storage: empty.folder.path, now: 0).make(storage.file, replaces: true)
    }
    let theirs = try storage.folder.bytes(of: "selfie.tar")
    #expect {
      try replace()
    } throws: {
      "\($0)".hasPrefix("\(storage.file) is a backup of another storage, so it is not replaced.")
    }
    #expect(try storage.folder.bytes(of: "selfie.tar") == theirs)

    // Nor is one that does not say so, by one of an empty storage.
    try sql("DROP TABLE storage_identity")
    try FileManager.default.removeItem(atPath: storage.file)
    try storage.make()
    #expect(throws: OperationError.self) { try replace() }
    try await empty.signUp("john@example.com")
    try replace()
    #expect(try storage.verify().users == 1)
  }

  /// By a connection of its own, as if the server did it; the fixture's writer is at rest.
  private func sql(_ sql: String) throws {
    let connection = try Connection(path: "\(storage.api.folder.path)/selfie.sqlite3", mode: .readWrite)
    try connection.execute(sql)
    connection.close()
  }

  @Test func `photos that the storage has lost or damaged are told, and the others backed up`() async throws {
    let paths = storage.ids.map(StorageLayout.photo)
    try storage.api.folder.remove(paths[0])
    try storage.api.folder.write([1, 2, 3], to: paths[1])
    try storage.api.folder.write(Array(repeating: 7, count: 513), to: paths[3])
    var lost: [String] = []
    let summary = try storage.make(lost: { lost.append($0) })
    #expect([summary.photos, summary.missing, summary.damaged] == [4, 1, 2])
    #expect(
      lost.map { $0.split(separator: "…").last.map(String.init) } == [
        " (No such file or directory)", " (not the bytes that were uploaded)", " (not the bytes that were uploaded)",
      ])
    #expect(try storage.verify() == summary)
    try storage.restore()
    #expect(try storage.folder.bytes(of: "restored/\(paths[1])") == [1, 2, 3])
    #expect(await storage.findings() == ["wrong_size \(paths[1])", "wrong_digest \(paths[3])"])
  }

  @Test func `whatever keeps a file from being read, the others are backed up`() async throws {
    // Its folder is a file, so that not even root can open what is in it.
    let (id, folder) = (storage.ids[2], "photos/\(storage.ids[2].prefix(2))")
    let gone = storage.ids.filter { $0.prefix(2) == id.prefix(2) }.count
    try FileManager.default.removeItem(atPath: "\(storage.api.folder.path)/\(folder)")
    try storage.api.folder.write([], to: folder)
    try storage.api.folder.remove("credentials.env")
    try storage.api.folder.makeFolder("credentials.env")
    var lost: [String] = []
    let summary = try storage.make(lost: { lost.append($0) })
    #expect([summary.photos, summary.missing] == [Int64(5 - gone), Int64(gone)])
    #expect(!summary.hasCredentials)
    #expect(lost.contains("\(id.prefix(8))… (Not a directory)") && lost.contains("credentials.env (Is a directory)"))
    #expect(try storage.verify() == summary)
  }

  @Test func `a file that is there is replaced only if that is wanted, and by a whole one`() async throws {
    try storage.folder.write(Array("mine".utf8), to: "selfie.tar")
    let error = #expect(throws: OperationError.self) { try storage.make() }
    let message = "selfie.tar already exists. Choose another name, or pass --force to replace it."
    #expect(error?.description.hasSuffix(message) == true)
    #expect(throws: CancellationError.self) { try storage.make(replaces: true) { _, _ in throw CancellationError() } }
    #expect(try storage.folder.bytes(of: "selfie.tar") == Array("mine".utf8))
    #expect(try storage.folder.names(in: "") == ["selfie.tar"])
    try storage.make(replaces: true)
    try storage.verify()
    try storage.folder.remove("selfie.tar")
    try storage.folder.makeFolder("selfie.tar")
    #expect(throws: OperationError.self) { try storage.make(replaces: true) }
  }

  @Test func `none that lacks photos replaces another`() async throws {
    try storage.make()
    let before = try storage.folder.bytes(of: "selfie.tar")
    try storage.api.folder.remove(StorageLayout.photo(storage.ids[0]))
    let error = #expect(throws: OperationError.self) { try storage.make(replaces: true) }
    #expect(
      error?.description.contains("selfie.tar may have photos that the storage has lost, so it is not replaced.")
        == true)
    #expect(try storage.folder.bytes(of: "selfie.tar") == before)
    #expect(try storage.folder.names(in: "") == ["selfie.tar"])
  }

  @Test(arguments: ["Copying the database", "Backing up: 3 of", "Verifying"])
  func `one that is given up leaves nothing`(_ last: String) async throws {
    #expect(throws: CancellationError.self) {
      try storage.make(verifies: true) { progress, _ in if progress.text.hasPrefix(last) { throw CancellationError() } }
    }
    #expect(try storage.folder.names(in: "") == [])
    #expect(try storage.api.folder.names(in: "").filter { $0.hasPrefix("backup") } == [])
    try storage.make()
    try storage.verify()
  }

  @Test func `what one that was killed has left is taken over, and two at a time are refused`() async throws {
    try storage.folder.write(Samples.bytes(2_000_000), to: "selfie.tar.partial")
    try storage.api.folder.write([1], to: "backup.manifest")
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try storage.api.folder.write([1, 2], to: "backup.sqlite3\(suffix)")
    }
    var second: (any Error)?
    try storage.make { _, _ in
      if second == nil {
        do { try storage.make() } catch { second = error }
      }
    }
    #expect(
      "\(try #require(second))"
        == "Another backup of \(storage.api.folder.path) is in progress. Wait for it to finish.")
    try storage.verify()
    #expect(try storage.folder.names(in: "") == ["selfie.tar"])
  }

  @Test func `a process that is started meanwhile does not keep the next backup from being made`() async throws {
    // It has copies of this process's descriptors until it runs its program.
    var copies: [OpenFile] = []
    try storage.make { _, _ in
      if copies.isEmpty { copies = try OpenFile.copies(of: storage.api.folder.path) }
    }
    #expect(!copies.isEmpty)
    try storage.make(replaces: true)
    withExtendedLifetime(copies) {}
  }
}

extension OpenFile {
  /// Copies of this process's descriptors of a file or folder.
  fileprivate static func copies(of path: String) throws -> [OpenFile] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init).filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }.map { OpenFile(owning: fcntl($0, F_DUPFD_CLOEXEC, 0)) }
  }
}
