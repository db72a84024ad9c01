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

/// Backups that are damaged or hostile.
@Suite struct DamagedBackupTests {
  /// An entry, as it may or may not stand in an archive.
  private typealias Piece = (header: [UInt8], name: String, contents: [UInt8])

  private let storage: BackedUpStorage

  init() async throws {
    storage = try await BackedUpStorage()
    try storage.make()
  }

  /// Whether both a look at it and a restore refuse it, and the restore leaves nothing.
  private func expectRefusal(of bytes: [UInt8], _ what: String) throws {
    try storage.folder.write(bytes, to: "selfie.tar")
    #expect(throws: OperationError.self, "\(what)") { try storage.verify() }
    #expect(throws: OperationError.self, "\(what)") { try storage.restore() }
    #expect(try storage.folder.names(in: "restored") == [], "\(what)")
  }

  @Test func `a flipped bit anywhere is found`() async throws {
    let bytes = try storage.folder.bytes(of: "selfie.tar")
    var random = SplitMix64(seed: 20_261_121)
    // The large photo is most of the bytes; the bytes before and after it are of more kinds.
    let begin = (0..<40).map { _ in Int.random(in: 0..<4096, using: &random) }
    let end = (0..<80).map { _ in Int.random(in: bytes.count - 12_000..<bytes.count, using: &random) }
    let all = (0..<40).map { _ in Int.random(in: bytes.indices, using: &random) }
    for offset in begin + end + all + [0, bytes.count - 1, bytes.count - 1024] {
      var damaged = bytes
      let bit = UInt8.random(in: 0..<8, using: &random)
      damaged[offset] ^= 1 << bit
      try expectRefusal(of: damaged, "byte \(offset), bit \(bit)")
    }
    try storage.folder.write(bytes, to: "selfie.tar")
    try storage.verify()
  }

  @Test func `what is intact is restored if damage is skipped`() async throws {
    let bytes = try storage.folder.bytes(of: "selfie.tar")
    // The first photo's name in its header, its first byte, and the last byte of the second one.
    let first = 512 * (1 + (BackedUpStorage.images[0].count + 511) / 512)
    for (offsets, lost) in [([3], []), ([512], [0]), ([512, first + 512 + 510], [0, 1])] {
      var damaged = bytes
      for offset in offsets { damaged[offset] ^= 1 }
      try expectRefusal(of: damaged, "\(offsets)")
      try storage.folder.makeFolder("rest")
      let skipped = Monitor<[String]>([])
      let archive = try BackupArchive(path: storage.file) { name in skipped.withLock { $0.append(name) } }
      let summary = try StorageRestore(storage: "\(storage.folder.path)/rest").run(archive)
      #expect(summary.photos == Int64(5 - lost.count) && summary.users == 4)
      #expect(skipped.withLock { $0 } == lost.map { StorageLayout.photo(storage.ids[$0]) })
      #expect(await storage.findings(in: "rest") == [])
      for (number, id) in storage.ids.enumerated() where !lost.contains(number) {
        #expect(try storage.folder.bytes(of: "rest/\(StorageLayout.photo(id))") == BackedUpStorage.images[number])
      }
      try FileManager.default.removeItem(atPath: "\(storage.folder.path)/rest")
    }
    // Without its database, nothing can be served.
    var damaged = bytes
    let database = try #require(bytes.firstRange(of: Array("SQLite format 3".utf8)))
    damaged[database.lowerBound] ^= 1
    try storage.folder.write(damaged, to: "selfie.tar")
    try storage.folder.makeFolder("rest")
    let error = #expect(throws: OperationError.self) {
      try StorageRestore(storage: "\(storage.folder.path)/rest")
        .run(BackupArchive(path: storage.file, skip: { _ in }))
    }
    #expect(error?.description.hasSuffix("Use another backup, or unpack what is left with tar xf.") == true)
  }

  @Test func `one that is cut short or goes on is found, and so is what is none`() async throws {
    let bytes = try storage.folder.bytes(of: "selfie.tar")
    var random = SplitMix64(seed: 7)
    let blocks = bytes.count / 512
    var lengths = [0, 1, 511, 512, 513, 1024]
    lengths += [1, 512, 1024, 1536].map { bytes.count - $0 }
    lengths += (0..<20).map { _ in Int.random(in: 0..<bytes.count, using: &random) }
    lengths += (0..<20).map { _ in 512 * Int.random(in: 0..<blocks, using: &random) }
    for length in lengths { try expectRefusal(of: Array(bytes.prefix(length)), "\(length) bytes") }
    // Cut short, and ended as an archive is.
    for length in [0, 1024] {
      try expectRefusal(of: bytes.prefix(length) + TarHeader.end, "\(length) bytes and an end")
    }
    for more in [[0], TarHeader.end, Array("x".utf8), Array(bytes.prefix(512))] {
      try expectRefusal(of: bytes + more, "\(more.count) bytes more")
    }
    for none in [Array("GIF89a".utf8), Samples.bytes(5000), [UInt8](repeating: 0, count: 5000)] {
      try expectRefusal(of: none, "\(none.prefix(6))")
    }
  }

  /// A whole archive of these entries, with a manifest that fits them.
  private func archive(
    _ entries: [Piece], adjust: (inout BackupManifest.Summary) -> Void = { _ in }
  ) throws -> [UInt8] {
    let schema = Migrations.sqlite.steps.last?.name ?? ""
    var lines = try BackupManifest.line(BackupManifest.Head(server: "1", madeAt: "now", schema: schema))
    var summary = BackupManifest.Summary(users: 4)
    var bytes: [UInt8] = []
    for (header, name, contents) in entries {
      lines += try BackupManifest.line(
        BackupManifest.Entry(
          name: name, size: Int64(contents.count), sha256: Digest.hex(Digest.sha256(contents))))
      bytes += header + contents + [UInt8](repeating: 0, count: Self.padding(of: contents))
      if name.hasPrefix("photos/") {
        summary.photos += 1
        summary.photoBytes += Int64(contents.count)
      }
    }
    adjust(&summary)
    lines += try BackupManifest.line(summary)
    lines += try BackupManifest.line(["sha256": Digest.hex(Digest.sha256(lines))])
    bytes += TarHeader(name: "manifest.jsonl", byteCount: Int64(lines.count), modifiedAt: 0).bytes + lines
    return bytes + [UInt8](repeating: 0, count: Self.padding(of: lines)) + TarHeader.end
  }

  private static func padding(of bytes: [UInt8]) -> Int { -bytes.count & (TarHeader.blockBytes - 1) }

  private func entry(_ name: String, _ contents: [UInt8], header: ([UInt8]) -> [UInt8] = { $0 }) -> Piece {
    (header(TarHeader(name: name, byteCount: Int64(contents.count), modifiedAt: 0).bytes), name, contents)
  }

  /// The files of a storage, ready to be put into an archive again.
  private func files() throws -> (photos: [Piece], database: [UInt8]) {
    try storage.restore(to: "original")
    let photos = try storage.ids.map(StorageLayout.photo).map {
      entry($0, try storage.folder.bytes(of: "original/\($0)"))
    }
    return (photos, try storage.folder.bytes(of: "original/selfie.sqlite3"))
  }

  @Test func `an archive that others have made is taken if it is whole`() async throws {
    let (photos, database) = try files()
    // This one's database is to have a log, which a reader makes room for.
    let path = "original/selfie.sqlite3"
    try Connection(path: "\(storage.folder.path)/\(path)", mode: .readWrite).close()
    let other = try storage.folder.bytes(of: path)
    #expect(other != database)
    for database in [database, other] {
      try storage.folder.write(archive(photos + [entry("selfie.sqlite3", database)]), to: "selfie.tar")
      let folder = try TemporaryFolder()
      _ = try BackupArchive(path: storage.file).verify(in: folder.path)
      #expect(try folder.names(in: "") == ["selfie.sqlite3"])
      try storage.restore()
      #expect(try storage.folder.names(in: "restored").sorted() == ["incoming", "photos", "selfie.sqlite3"])
      #expect(await storage.findings() == [])
      try storage.folder.remove("restored")
    }
  }

  @Test func `hostile names, kinds and sizes are refused`() async throws {
    let (photos, database) = try files()
    let end = [entry("selfie.sqlite3", database)]
    let id = "qr" + String(repeating: "s", count: 39)
    for name in ["../evil", "/tmp/evil", "restoring"] {
      try expectRefusal(of: archive([entry(name, [1])] + photos + end), name)
    }
    // Hard and symbolic links, devices, a folder, a pipe; and a name with a prefix.
    for kind in Array("1234567xgLK".utf8) + [0] {
      let hostile = entry("photos/qr/\(id)", []) { Self.resigned($0) { $0[156] = kind } }
      try expectRefusal(of: archive([hostile] + photos + end), "kind \(kind)")
    }
    let prefixed = entry("photos/qr/\(id)", [1]) {
      Self.resigned($0) { $0.replaceSubrange(345..<349, with: Array("/tmp".utf8)) }
    }
    try expectRefusal(of: archive([prefixed] + photos + end), "a prefix")
    for size in [
      [0x80] + [UInt8](repeating: 0, count: 10) + [9], [0x80, 0, 0, 0, 0x7f] + [UInt8](repeating: 0xff, count: 7),
      [UInt8](repeating: 0xff, count: 12), Array("77777777777\u{0}".utf8), Array("-0000000001\u{0}".utf8),
    ] {
      let hostile = entry("photos/qr/\(id)", [1]) { Self.resigned($0) { $0.replaceSubrange(124..<136, with: size) } }
      try expectRefusal(of: archive([hostile] + photos + end), "size \(size)")
    }
    #expect(!FileManager.default.fileExists(atPath: "/tmp/evil"))
    #expect(!storage.folder.exists("evil"))
  }

  /// A changed header with a checksum that fits.
  private static func resigned(_ header: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var header = header
    change(&header)
    header.replaceSubrange(148..<156, with: [UInt8](repeating: 0x20, count: 8))
    let sum = String(header.reduce(0) { $0 + Int($1) }, radix: 8)
    let digits = String(repeating: "0", count: 6 - sum.count) + sum
    header.replaceSubrange(148..<156, with: Array("\(digits)\u{0} ".utf8))
    return header
  }

  @Test func `rows and files that do not fit each other are refused`() async throws {
    let (photos, database) = try files()
    let end = [entry("selfie.sqlite3", database)]
    let more = entry("photos/qr/qr" + String(repeating: "s", count: 39), [1])
    let cases: [(String, [Piece])] = [
      ("a file less", Array(photos.dropLast()) + end), ("a file more", photos + [more] + end),
      ("a file twice", photos + [photos[4]] + end), ("another order", photos.reversed() + end),
      ("one for another", Array(photos.dropLast()) + [more] + end),
      ("other bytes", [entry(photos[0].name, [1, 2, 3])] + Array(photos.dropFirst()) + end),
      ("no database", photos), ("two databases", photos + end + end), ("the database first", end + photos),
      ("credentials last", photos + end + [entry("credentials.env", [])]),
      ("no database in it", photos + [entry("selfie.sqlite3", Array("nonsense".utf8))]),
      ("half a database", photos + [entry("selfie.sqlite3", Array(database.prefix(8192)))]), ("nothing", []),
    ]
    for (what, entries) in cases { try expectRefusal(of: archive(entries), what) }
    try expectRefusal(of: archive(photos + end) { $0.users += 1 }, "a user more")
    try expectRefusal(of: archive(photos + end) { $0.damaged += 1 }, "a damaged photo more")
    try expectRefusal(of: archive(photos + end) { $0.hasCredentials = true }, "credentials")
  }

  @Test(arguments: [0, 1]) func `a database with a foreign trigger is refused, and one of an older version is not`(
    _ stepsLess: Int
  ) async throws {
    let path = "\(storage.folder.path)/older"
    try storage.folder.makeFolder("older")
    let connection = try Connection(path: "\(path)/selfie.sqlite3", mode: .readWrite)
    _ = try Migrations(Migrations.sqlite.steps.dropLast(stepsLess)).run(on: connection, now: 0)
    let backup = StorageBackup(storage: path, now: 0)
    try storage.folder.remove("selfie.tar")
    _ = try backup.make(storage.file, replaces: false)
    try storage.restore()
    try storage.folder.remove("restored")

    try connection.execute(
      "CREATE TRIGGER evil AFTER INSERT ON tokens BEGIN UPDATE users SET password_hash = ''; END")
    _ = try backup.make(storage.file, replaces: true)
    let error = #expect(throws: OperationError.self) { try storage.restore() }
    let text = "\(try #require(error))"
    #expect(text.contains("others than this server have changed: it has the trigger evil, which"), "\(text)")
    #expect(try storage.folder.names(in: "restored") == [])
  }
}
