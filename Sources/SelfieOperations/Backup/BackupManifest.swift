import Cryptography
import HTTPMessages
import SelfieAPI

/// The manifest of a backup: lines of JSON, one for the backup, one for each entry in order, a summary, and the digest
/// of all lines before. It is written and read a line at a time, however many photos there are.
public enum BackupManifest {
  /// The version of the format, which fixes the members of each line and their order.
  static let format: Int64 = 1

  /// The first line, which describes the backup.
  public struct Head: Sendable, Equatable {
    /// The version of the program that made the backup.
    public let server: String
    /// When it was made, such as `2026-11-20T22:24:16.641Z`.
    public let madeAt: String
    /// The last migration that the database has had.
    public let schema: String
  }

  /// The line of a file in the backup.
  struct Entry: Equatable {
    let name: String
    let byteCount: Int64
    /// In hexadecimal.
    let sha256: String
    /// Whether the storage had other bytes than were uploaded.
    let isDamaged: Bool
  }

  /// The last line but one, which sums up.
  public struct Summary: Sendable, Equatable {
    public var users: Int64 = 0
    public var photos: Int64 = 0
    public var photoBytes: Int64 = 0
    /// Photos that were deleted while the backup was made, so that they are not in it.
    public var deletedMeanwhile: Int64 = 0
    /// Photos whose files the storage had lost. Neither these nor their rows are in the backup.
    public var missing: Int64 = 0
    /// Photos that had other bytes than were uploaded. They are in the backup as they were in the storage.
    public var damaged: Int64 = 0
    /// Whether the backup has the API's name and password, because the server made them.
    public var hasCredentials = false

    public init() {}
  }

  static func line(_ head: Head) -> [UInt8] {
    object { json in
      json.member("format", format)
      json.member("server", head.server)
      json.member("made_at", head.madeAt)
      json.member("schema", head.schema)
    }
  }

  static func line(_ entry: Entry) -> [UInt8] {
    object { json in
      json.member("name", entry.name)
      json.member("size", entry.byteCount)
      json.member("sha256", entry.sha256)
      if entry.isDamaged {
        json.key("damaged")
        json.boolean(true)
      }
    }
  }

  static func line(_ summary: Summary) -> [UInt8] {
    object { json in
      json.member("users", summary.users)
      json.member("photos", summary.photos)
      json.member("photo_bytes", summary.photoBytes)
      json.member("deleted_meanwhile", summary.deletedMeanwhile)
      json.member("missing", summary.missing)
      json.member("damaged", summary.damaged)
      json.key("credentials")
      json.boolean(summary.hasCredentials)
    }
  }

  /// - Parameter digest: of all lines before.
  static func line(digest: [UInt8]) -> [UInt8] {
    object { $0.member("sha256", Digest.hex(digest)) }
  }

  private static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    JSONWriter.object(members) + [UInt8(ascii: "\n")]
  }
}

/// A line of a manifest that was read.
enum ManifestLine: Equatable {
  case head(BackupManifest.Head)
  case entry(BackupManifest.Entry)
  case summary(BackupManifest.Summary)
  case digest(String)
  /// A head of another format than this program's.
  case otherFormat

  /// Nil unless the line is exactly as this program writes it.
  init?(_ line: [UInt8]) {
    guard case .object(let members)? = try? JSONReader.read(line) else { return nil }
    func number(_ name: String) -> Int64? {
      guard case .number(let text)? = members[name], let number = Int64(text), number >= 0 else { return nil }
      return number
    }
    func text(_ name: String) -> String? {
      guard case .string(let text)? = members[name] else { return nil }
      return text
    }
    if let format = number("format") {
      guard format == BackupManifest.format else {
        self = .otherFormat
        return
      }
      guard let server = text("server"), let madeAt = text("made_at"), let schema = text("schema") else { return nil }
      self = .head(BackupManifest.Head(server: server, madeAt: madeAt, schema: schema))
    } else if let name = text("name") {
      guard let byteCount = number("size"), let sha256 = text("sha256") else { return nil }
      let isDamaged = members["damaged"] == .bool(true)
      self = .entry(BackupManifest.Entry(name: name, byteCount: byteCount, sha256: sha256, isDamaged: isDamaged))
    } else if let users = number("users") {
      var summary = BackupManifest.Summary()
      guard let photos = number("photos"), let photoBytes = number("photo_bytes"),
        let deletedMeanwhile = number("deleted_meanwhile"), let missing = number("missing"),
        let damaged = number("damaged"), case .bool(let hasCredentials)? = members["credentials"]
      else { return nil }
      summary.users = users
      summary.photos = photos
      summary.photoBytes = photoBytes
      summary.deletedMeanwhile = deletedMeanwhile
      summary.missing = missing
      summary.damaged = damaged
      summary.hasCredentials = hasCredentials
      self = .summary(summary)
    } else if let digest = text("sha256") {
      self = .digest(digest)
    } else {
      return nil
    }
  }
}
