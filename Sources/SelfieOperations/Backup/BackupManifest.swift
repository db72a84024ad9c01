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

    /// The members of the line.
    fileprivate static let numbers: [(name: StaticString, path: WritableKeyPath<Summary, Int64> & Sendable)] = [
      ("users", \.users), ("photos", \.photos), ("photo_bytes", \.photoBytes),
      ("deleted_meanwhile", \.deletedMeanwhile), ("missing", \.missing), ("damaged", \.damaged),
    ]
  }

  // MARK: - Written

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
      for (name, path) in Summary.numbers { json.member(name, summary[keyPath: path]) }
      json.key("credentials")
      json.boolean(summary.hasCredentials)
    }
  }

  /// - Parameter digest: of all lines before.
  static func line(digest: [UInt8]) -> [UInt8] { object { $0.member("sha256", Digest.hex(digest)) } }

  private static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    JSONWriter.object(members) + [UInt8(ascii: "\n")]
  }
}

/// A line of a manifest that was read.
struct ManifestLine {
  private let members: [String: ParameterValue]

  init?(_ line: [UInt8]) {
    guard case .object(let members)? = try? JSONReader.read(line) else { return nil }
    self.members = members
  }

  /// Nil unless it is the first line.
  var format: Int64? { number("format") }

  var head: BackupManifest.Head? {
    guard let server = text("server"), let madeAt = text("made_at"), let schema = text("schema") else { return nil }
    return BackupManifest.Head(server: server, madeAt: madeAt, schema: schema)
  }

  var entry: BackupManifest.Entry? {
    guard let name = text("name"), let byteCount = number("size"), let digest else { return nil }
    return BackupManifest.Entry(
      name: name, byteCount: byteCount, sha256: digest, isDamaged: members["damaged"] == .bool(true))
  }

  var summary: BackupManifest.Summary? {
    var summary = BackupManifest.Summary()
    for (name, path) in BackupManifest.Summary.numbers {
      guard let number = number("\(name)") else { return nil }
      summary[keyPath: path] = number
    }
    guard case .bool(let hasCredentials)? = members["credentials"] else { return nil }
    summary.hasCredentials = hasCredentials
    return summary
  }

  /// In hexadecimal.
  var digest: String? { text("sha256") }

  private func number(_ name: String) -> Int64? {
    guard case .number(let text)? = members[name], let number = Int64(text), number >= 0 else { return nil }
    return number
  }

  private func text(_ name: String) -> String? {
    if case .string(let text)? = members[name] { text } else { nil }
  }
}
