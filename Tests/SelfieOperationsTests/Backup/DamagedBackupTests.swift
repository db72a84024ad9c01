import APITestSupport
import Foundation
import Glibc
import Platform
import SQL
import SQLite
import TestSupport
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// Archives that are damaged, hostile, or of earlier versions.
@Suite struct DamagedBackupTests {
  private let storage: BackedUpStorage
  private let bytes: [UInt8]

  init() async throws {
    storage = try await BackedUpStorage()
    try storage.makeTar()
    bytes = try storage.folder.bytes(of: "selfie.tar")
  }

  private func expectRefusal(of bytes: [UInt8], _ what: String) throws {
    try storage.folder.write(bytes, to: "selfie.tar")
    #expect(throws: OperationError.self, "\(what)") { try storage.restore(storage.file) }
    #expect(try storage.folder.names(in: "restored") == [], "\(what)")
  }

  @Test func `with a flipped bit, what is restored is as it was, or nothing is`() throws {
    var random = SplitMix64(seed: 20_261_121)
    let rows = try BackedUpStorage.rows(of: "\(storage.api.folder.path)/selfie.sqlite3")
    let begin = (0..<20).map { _ in Int.random(in: 0..<4096, using: &random) }
    let end = (0..<40).map { _ in Int.random(in: bytes.count - 12_000..<bytes.count, using: &random) }
    let all = (0..<20).map { _ in Int.random(in: bytes.indices, using: &random) }
    for offset in begin + end + all {
      var damaged = bytes
      damaged[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      try storage.folder.write(damaged, to: "selfie.tar")
      do { try storage.restore(storage.file) } catch {
        #expect(try storage.folder.names(in: "restored") == [], "byte \(offset)")
        continue
      }
      #expect(try BackedUpStorage.rows(of: "\(storage.folder.path)/restored/selfie.sqlite3") == rows, "byte \(offset)")
      for (id, image) in zip(storage.ids, BackedUpStorage.images) {
        #expect(try storage.folder.bytes(of: "restored/\(StorageLayout.photo(id))") == image, "byte \(offset)")
      }
      try storage.folder.remove("restored")
    }
  }

  @Test func `what is intact is restored if damage is skipped`() async throws {
    // The first photo's name in its header, its first byte, and the last byte of the second one.
    let first = 512 * (1 + (BackedUpStorage.images[0].count + 511) / 512)
    for (offsets, lost) in [([3], [0]), ([512], [0]), ([512, first + 512 + 510], [0, 1])] {
      var damaged = bytes
      for offset in offsets { damaged[offset] ^= 1 }
      try expectRefusal(of: damaged, "\(offsets)")
      var named: [String] = []
      let found = try storage.restore(storage.file, to: "rest", skipsDamaged: true, lose: { named.append($0.id) })
      #expect(found.photos == Int64(5 - lost.count) && found.users == 4)
      #expect(named == lost.map { storage.ids[$0] })
      #expect(await storage.findings(in: "rest") == [])
      try FileManager.default.removeItem(atPath: "\(storage.folder.path)/rest")
    }
    // Without its database, nothing can be served.
    var damaged = bytes
    let database = try #require(bytes.firstRange(of: Array("SQLite format 3".utf8)))
    damaged[database.lowerBound] ^= 1
    try storage.folder.write(damaged, to: "selfie.tar")
    #expect { try storage.restore(storage.file, to: "rest", skipsDamaged: true) } throws: {
      "\($0)".contains("its database is damaged")
    }
  }

  @Test func `one that is cut short, or is something else, is refused`() throws {
    for length in [0, 1, 511, 512, 1024, bytes.count / 2, bytes.count - 1024, bytes.count - 9000] {
      try expectRefusal(of: Array(bytes.prefix(length)), "\(length) bytes")
    }
    for none in [Array("GIF89a".utf8), Samples.bytes(5000), [UInt8](repeating: 0, count: 5000)] {
      try expectRefusal(of: none, "\(none.prefix(6))")
    }
  }

  /// An archive as earlier versions have made it, of what is unpacked in the folder `original`.
  private func oldArchive(_ more: [(name: String, contents: [UInt8])] = []) throws -> [UInt8] {
    try storage.restore(storage.file, to: "original")
    let files = storage.ids.map(StorageLayout.photo) + ["credentials.env", "selfie.sqlite3"]
    let contents =
      try more + files.map { ($0, try storage.folder.bytes(of: "original/\($0)")) } + [
        ("manifest.jsonl", Array("{\"format\":1}\n".utf8))
      ]
    return archive(contents)
  }

  private func archive(_ files: [(name: String, contents: [UInt8])]) -> [UInt8] {
    files.flatMap { name, contents in
      let header = TarHeader(name: name, byteCount: Int64(contents.count), modifiedAt: 1_700_000_000)
      return header.bytes + contents + [UInt8](repeating: 0, count: header.padding)
    } + TarHeader.end
  }

  @Test func `an archive of an earlier version is restored, and names that lead elsewhere are nothing`() async throws {
    let hostile: [(String, [UInt8])] = [("../evil", [1]), ("/tmp/evil", [1]), ("photos/qr/../../../evil", [1])]
    try storage.folder.write(oldArchive(hostile), to: "selfie.tar")
    #expect(try storage.restore(storage.file).photos == 5)
    #expect(await storage.findings() == [])
    #expect(!storage.folder.exists("evil") && !FileManager.default.fileExists(atPath: "/tmp/evil"))
    let source = try BackupSource.newest(at: storage.file, skipsDamaged: false)
    #expect(source.madeAt == "2023-11-14T22:13:20.000Z")
  }

  @Test func `after a damaged header, a photo's own bytes are taken for no credentials`() throws {
    let evil = Array("API_AUTH_NAME=evil\n".utf8)
    let header = TarHeader(name: "credentials.env", byteCount: Int64(evil.count), modifiedAt: 0)
    let photo = header.bytes + evil + [UInt8](repeating: 0, count: header.padding)
    var archive = try oldArchive([("photos/qr/qr" + String(repeating: "s", count: 39), photo)])
    archive[3] ^= 1
    // As if the backup had none of its own.
    let byteCount = Int64(try storage.folder.bytes(of: "original/credentials.env").count)
    let ownHeader = TarHeader(name: "credentials.env", byteCount: byteCount, modifiedAt: 1_700_000_000)
    let own = try #require(archive.firstRange(of: ownHeader.bytes))
    archive.removeSubrange(own.lowerBound..<own.lowerBound + 1024)
    try storage.folder.write(archive, to: "selfie.tar")
    #expect(try storage.restore(storage.file, skipsDamaged: true).hasCredentials == false)
  }

  @Test func `a database with a foreign trigger is refused`() throws {
    let connection = try Connection(path: "\(storage.api.folder.path)/selfie.sqlite3", mode: .readWrite)
    try connection.execute(
      "CREATE TRIGGER evil AFTER INSERT ON tokens BEGIN UPDATE users SET password_hash = ''; END")
    connection.close()
    try storage.makeTar()
    let error = #expect(throws: OperationError.self) { try storage.restore(storage.file) }
    #expect(error?.description.contains("it has the trigger evil, which") == true)
    #expect(try storage.folder.names(in: "restored") == [])
  }

  @Test(arguments: Migrations.sqlite.steps.indices.dropFirst(4), ["old archive", "archive", "moment"])
  func `a backup of every earlier schema is restored, and upgraded with its photos`(_ steps: Int, _ form: String)
    async throws
  {
    let (old, id, image) = ("\(storage.folder.path)/older", String(repeating: "x", count: Photo.idLength), Samples.png)
    try storage.folder.write(image, to: "older/\(StorageLayout.photo(id))")
    let connection = try Connection(path: "\(old)/selfie.sqlite3", mode: .readWrite)
    _ = try Migrations(Array(Migrations.sqlite.steps.prefix(steps))).run(on: connection, now: 0)
    try connection.execute(
      """
      INSERT INTO users (id, email, password_hash, created_at, updated_at) VALUES (1, 'ada@example.com', 'x', 1, 1);
      INSERT INTO photos (random_id, user_id, title, byte_count, content_type, created_at, updated_at)
      VALUES ('\(id)', 1, 'one', \(image.count), 'image/png', 1, 1);
      """)
    connection.close()
    let backup = StorageBackup(storage: old, now: 0)
    var source = storage.file
    switch form {
    case "old archive":
      let files = [StorageLayout.photo(id), "selfie.sqlite3"]
      try storage.folder.write(
        archive(files.map { ($0, try storage.folder.bytes(of: "older/\($0)")) }), to: "selfie.tar")
    case "archive": _ = try PartialFile.make(source, replaces: true) { try backup.writeTar(to: $0.file, name: "x") }
    default:
      let folder = BackupFolder(in: storage.folder.path, of: try backup.identity())
      _ = try FileSystem.makeFolder(folder.path)
      source = try folder.whileLocked { _ in try backup.makeMoment(in: folder).moment.path }
    }
    #expect(try storage.restore(source).photos == 1)
    let database = try Database(
      path: "\(storage.folder.path)/restored/selfie.sqlite3", migrations: .sqlite, now: 0, keepsCopy: false)
    #expect(try database.read { try $0.exists(PhotoStore.photo(randomID: id)) })
    database.close()
    #expect(try storage.folder.bytes(of: "restored/\(StorageLayout.photo(id))") == image)
  }

  /// It has a photo whose bytes were damaged already, and was made by `selfie-server backup` of that version.
  @Test func `an archive that version 0_3 has made is restored, without what it says is damaged`() async throws {
    let unpack = try Program(
      "/bin/sh", ["-c", "gzip -dc \"$0\" >\"$1\"", "\(checkout)/Tests/Archives/0.3.0.tar.gz", storage.file],
      environment: ["PATH": "/usr/bin:/bin"], output: STDOUT_FILENO, errors: STDERR_FILENO)
    #expect(unpack.end() == 0)
    #expect(throws: OperationError.self) { try storage.restore(storage.file) }
    var lost: [String] = []
    let found = try storage.restore(storage.file, skipsDamaged: true, lose: { lost.append($0.id) })
    #expect(found.users == 1 && found.photos == 2 && found.hasCredentials && lost.count == 1)
    let database = try Database(
      path: "\(storage.folder.path)/restored/selfie.sqlite3", migrations: .sqlite, now: 0, keepsCopy: false)
    database.close()
    #expect(await storage.findings() == [])
  }
}
