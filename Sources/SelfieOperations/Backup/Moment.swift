import Cryptography
import Glibc
import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI

/// A backup: the database of one moment, and what is to be said about it. Its photos are in the pool that it shares with all
/// others of its `BackupFolder`. Nothing in it changes any more.
package struct Moment: Sendable, Equatable {
  package let path: String
  /// In Unix milliseconds, of which the name has the seconds.
  package let time: Int64
  /// The beginning of the line.
  let line: String

  package var name: String { String(path.split(separator: "/").last ?? "") }
  var layout: StorageLayout { StorageLayout(folder: path) }
  /// The storage's folder of backups.
  var folder: BackupFolder { BackupFolder(path: FileSystem.parent(of: path)) }

  static let descriptionName = "backup.json"
  /// Digits of the line that are in the name.
  static let lineDigits = 8

  /// Nil if no moment has this name.
  ///
  /// - Parameter path: such as `…/2026-11-21T03-30-00Z-3fa90c12`.
  package init?(_ path: String) {
    let name = path.split(separator: "/").last ?? ""
    let (beginning, line) = (name.prefix { $0 != "Z" }, String(name.suffix(Self.lineDigits)))
    guard var time = readTime(Array(beginning.utf8)[...], format: "%Y-%m-%dT%H-%M-%S") else { return nil }
    (self.path, self.time, self.line) = (path, Int64(timegm(&time)) * 1000, line)
    // 30 February has become 2 March.
    guard Self.name(at: self.time, line: line) == name, line.utf8.allSatisfy({ $0.isASCIIDigit || $0.isASCIILetter })
    else { return nil }
  }

  static func name(at milliseconds: Int64, line: String) -> String {
    "\(timeName(milliseconds))-\(line.prefix(lineDigits))"
  }

  /// Such as `2026-11-21T03-30-00Z`: names in alphabetical order are in the order of time.
  static func timeName(_ milliseconds: Int64) -> String {
    Timestamp.text(unixMilliseconds: milliseconds).prefix { $0 != "." }.replacing(":", with: "-") + "Z"
  }

  func description() throws -> BackupDescription {
    guard let part = try FilePart(at: layout.path(Self.descriptionName)) else {
      throw OperationError("\(path) is damaged: it has no \(Self.descriptionName).")
    }
    return try BackupDescription(part)
  }

  /// Opens the database, once all its bytes were compared with their digest: what a damaged one lacks would seem to be
  /// needed by nobody.
  func openChecked() throws -> Connection {
    let description = try description()
    guard let part = try FilePart(at: layout.database), try Digest.hex(part.forEachChunk()) == description.sha256 else {
      throw OperationError("\(layout.database) is damaged: its bytes differ from those that were backed up.")
    }
    return try Connection(path: layout.database, mode: .immutable)
  }
}

/// What a backup says about itself: `backup.json`. Its members have the names that they have in JSON.
package struct BackupDescription: Sendable, Equatable, Codable {
  /// The version of the format.
  static let format: Int64 = 1
  /// Photos that are named; all are counted.
  static let maxProblems = 100
  private static let maxBytes = 1 << 20

  var format = Self.format
  /// The version of the program.
  var server = Application.version
  /// Such as `2026-11-20T22:24:16.641Z`.
  package var madeAt: String
  /// The identity of the storage, and its line.
  var storage: String
  package var line: String
  /// The last migration that the database has had.
  var schema: String
  /// The digest of the database, in hexadecimal.
  var sha256 = ""
  package var users: Int64 = 0
  package var photos: Int64 = 0
  package var photoBytes: Int64 = 0
  /// What this backup has added to the pool.
  package var newBytes: Int64 = 0
  package var databaseBytes: Int64 = 0
  /// Whether it has the API's name and password, because the server made them.
  package var hasCredentials = false
  /// Photos of the database that the backup does not have as they were uploaded.
  package var lacking: Int64 = 0
  /// The first of these, and of those that only the storage has lost.
  package var problems: [PhotoProblem] = []

  package var isComplete: Bool { lacking == 0 }

  private enum CodingKeys: String, CodingKey {
    case format, server, madeAt = "made_at", storage, line, schema, sha256, users, photos, photoBytes = "photo_bytes"
    case newBytes = "new_bytes", databaseBytes = "database_bytes", hasCredentials = "credentials", lacking, problems
  }

  /// - Parameter database: a copy of the storage's.
  init(of database: Connection, now: Int64) throws {
    madeAt = Timestamp.text(unixMilliseconds: now)
    storage = database.storageIdentity ?? BackupFolder.unknownStorage
    line = database.backupLine
    schema = try Migrations.last(on: database) ?? ""
    users = try database.number(UserStore.count)
  }

  /// - Throws: `OperationError` also if a newer version has written it.
  init(_ part: FilePart) throws {
    var bytes: [UInt8] = []
    guard part.byteCount <= Self.maxBytes else { throw OperationError("\(part.path) is damaged: it is too large.") }
    try part.forEachChunk { bytes += $0 }
    guard case .number(let format)? = (try? JSONReader.read(bytes))?[member: "format"] else {
      throw OperationError("\(part.path) is damaged: \(Moment.descriptionName) is not JSON with a format.")
    }
    guard format == "\(Self.format)" else {
      throw OperationError("\(part.path) was made by a newer selfie-server. Use that version, or a later one.")
    }
    do { self = try JSONReader.decode(from: bytes) } catch {
      throw OperationError("\(part.path) is damaged: \(Moment.descriptionName) lacks a member.")
    }
  }

  mutating func note(_ problem: PhotoProblem) {
    if !problem.isInBackup { lacking += 1 }
    if problems.count < Self.maxProblems { problems.append(problem) }
  }
}

/// Why a photo could not be backed up, or not be read back.
package struct PhotoProblem: Error, Sendable, Equatable, Codable, CustomStringConvertible {
  /// The photo's random_id.
  package let id: String
  package let reason: String
  /// Whether the backups have the photo whole all the same.
  package var isInBackup = false

  package var description: String { "\(id): \(reason)" }
  /// Without most of the id, which is secret.
  package var logged: String { "\(id.prefix(8))…: \(reason.replacing(id, with: "\(id.prefix(8))…"))" }
}

extension Connection {
  /// The storage's line; that of nobody before the schema had lines.
  fileprivate var backupLine: String {
    ((try? first(BackupStateStore.state, as: BackupState.self)) ?? nil)?.line ?? BackupFolder.unknownStorage
  }
}
