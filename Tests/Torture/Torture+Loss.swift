import Foundation
import Glibc
import SQL
import SQLite
import SelfieAPI
import TestSupport

/// A storage that has lost a part: nothing that the server or its doctor then does takes away more.
extension Torture {
  /// Each loss is of a copy of the storage, whose photos' files are links to the same bytes.
  func loseFiles() throws {
    try onCopy { try startWithoutDatabase($0) }
    try onCopy { try dropWithoutPhotos($0) }
    try onCopy { try salvageDamaged($0) }
    try upgradeOrphans()
    try repairForeignFolder()
    if BindMount.isPossible { try onCopy { try repairRespelled($0) } }
  }

  func onCopy(_ body: (_ storage: String) throws -> Void) throws {
    let copy = "\(subject.folder)/copy"
    try? FileManager.default.removeItem(atPath: copy)
    try FileManager.default.copyItem(atPath: subject.storage, toPath: copy)
    chmod(copy, 0o700)
    try body(copy)
    try FileManager.default.removeItem(atPath: copy)
  }

  /// All that is in a folder, with the sizes of files, apart from what each start writes.
  private func contents(_ folder: String) throws -> [String: Int] {
    var sizes: [String: Int] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where name != "lock" {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      sizes[name] = attributes[.type] as? FileAttributeType == .typeDirectory ? -1 : attributes[.size] as? Int ?? 0
    }
    return sizes
  }

  func photos(_ storage: String) throws -> Int64 {
    let connection = try Connection(path: "\(storage)/selfie.sqlite3", mode: .readOnly)
    defer { connection.close() }
    return try connection.query("SELECT count(*) FROM photos") { $0.integer(0) }.first ?? 0
  }

  private func expect(
    _ status: Int32, _ words: String, _ arguments: [String], _ storage: String
  ) throws {
    let (found, text) = try subject.run(arguments, ["STORAGE_DIR": storage, "PORT": "0"])
    guard found == status else { throw Violation("\(arguments) ended with \(found), not \(status): \(text)") }
    guard words.isEmpty || text.contains(words) || subject.endOfLog.contains(words) else {
      throw Violation("\(arguments) does not say \"\(words)\": \(text) \(subject.endOfLog)")
    }
  }

  private func startWithoutDatabase(_ storage: String) throws {
    guard try photos(storage) > 0 else { return }
    try FileManager.default.removeItem(atPath: "\(storage)/selfie.sqlite3")
    for isEmpty in [false, true] {
      if isEmpty { _ = FileManager.default.createFile(atPath: "\(storage)/selfie.sqlite3", contents: nil) }
      let before = try contents(storage)
      try expect(1, "and selfie.sqlite3 is \(isEmpty ? "empty" : "missing")", ["serve"], storage)
      try expect(2, "and selfie.sqlite3 is", ["doctor", "--repair", "--drop-missing", "--yes"], storage)
      guard try contents(storage) == before else {
        throw Violation("a start without a database has changed \(storage)")
      }
    }
  }

  private func dropWithoutPhotos(_ storage: String) throws {
    let count = try photos(storage)
    guard count > 0 else { return }
    try FileManager.default.removeItem(atPath: "\(storage)/photos")
    try FileManager.default.createDirectory(atPath: "\(storage)/photos/ab", withIntermediateDirectories: true)
    _ = FileManager.default.createFile(atPath: "\(storage)/photos/.DS_Store", contents: Data([1]))
    try expect(2, "Is its disk mounted?", ["doctor", "--repair", "--drop-missing", "--yes"], storage)
    guard try photos(storage) == count else { throw Violation("rows are gone whose photos' disk was away") }
  }

  /// One index page of the users is overwritten.
  private func salvageDamaged(_ storage: String) throws {
    let path = "\(storage)/selfie.sqlite3"
    let connection = try Connection(path: path, mode: .readWrite)
    let count = try photos(storage)
    let root = try connection.query("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_users_1'") {
      $0.integer(0)
    }.first
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    guard let root, let file = FileHandle(forUpdatingAtPath: path) else { throw Violation("no index of users") }
    try file.seek(toOffset: UInt64(root - 1) * 4096)
    try file.write(contentsOf: Data(repeating: 0xa5, count: 64))
    try file.close()
    try expect(2, "", ["doctor", "--quick"], storage)
    let salvaged = "\(subject.folder)/salvaged"
    try expect(0, "", ["doctor", "--salvage", salvaged], storage)
    var look = StorageLook(storage: salvaged)
    try look.check(isSettled: false, all: true)
    guard try photos(salvaged) == count else { throw Violation("photos are lost for an index") }
    try FileManager.default.removeItem(atPath: salvaged)
  }

  /// A database of an earlier version in which another program has left a token without its user.
  private func upgradeOrphans() throws {
    let folder = "\(subject.folder)/earlier"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let connection = try Connection(path: "\(folder)/selfie.sqlite3", mode: .readWrite)
    // Migration 11 copies these tokens into a table with a foreign key.
    _ = try Migrations(Array(Migrations.sqlite.steps.prefix(10))).run(on: connection, now: 0)
    try connection.execute(
      "PRAGMA foreign_keys = OFF; INSERT INTO retired_tokens VALUES (x'03', 3, 1, 1, x'03', NULL)")
    connection.close()
    try expect(0, "row of tokens belongs to a row of users that is not there", ["user", "list"], folder)
    try FileManager.default.removeItem(atPath: folder)
  }

  private func repairForeignFolder() throws {
    let folder = "\(subject.folder)/foreign"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = FileManager.default.createFile(atPath: "\(folder)/passwd", contents: Data([1]))
    chmod(folder, 0o755)
    let before = try contents(folder)
    try expect(2, "There is no storage in", ["doctor", "--repair"], folder)
    var status = stat()
    guard try contents(folder) == before, stat(folder, &status) == 0, status.st_mode & 0o777 == 0o755 else {
      throw Violation("doctor has changed a folder that is no storage")
    }
    try FileManager.default.removeItem(atPath: folder)
  }

  /// Each folder of photos has a second name of another spelling, as where the case of names is ignored.
  private func repairRespelled(_ storage: String) throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: "\(storage)/photos").filter { $0.count == 2 }
    guard let folder = folders.first else { return }
    let respelled = folder == folder.uppercased() ? folder.lowercased() : folder.uppercased()
    let other = "\(storage)/photos/\(respelled)"
    guard !FileManager.default.fileExists(atPath: other) else { return }
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    guard mount("\(storage)/photos/\(folder)", other, nil, UInt(MS_BIND), nil) == 0 else { return }
    defer { umount2(other, Int32(MNT_DETACH)) }
    let before = try contents(storage).keys.filter { $0.hasPrefix("photos/") }.sorted()
    _ = try subject.run(["doctor", "--repair", "--quick"], ["STORAGE_DIR": storage])
    guard try contents(storage).keys.filter({ $0.hasPrefix("photos/") }).sorted() == before else {
      throw Violation("doctor has moved photos whose folder has another spelling")
    }
  }
}
