import Cryptography
import HTTPMessages

/// The manifest of a backup: lines of JSON, one for the backup, one for each entry in order, a summary, and the digest
/// of all lines before. It is written and read a line at a time, however many photos there are: this reads it from an
/// archive, and `BackupWriter` writes it.
package struct BackupManifest {
  /// The version of the format, which fixes the members of each line and their order.
  static let format: Int64 = 1

  /// The first line, which describes the backup.
  package struct Head: Sendable, Codable {
    var format = BackupManifest.format
    /// The version of the program that made the backup.
    package let server: String
    /// When it was made, such as `2026-11-20T22:24:16.641Z`.
    package let madeAt: String
    /// The last migration that the database has had.
    package let schema: String
    /// The identity of the storage; nil in backups of versions that had none.
    var storage: String?

    private enum CodingKeys: String, CodingKey {
      case format, server, madeAt = "made_at", schema, storage
    }
  }

  /// The line of a file in the backup. Its members have the names that they have in JSON.
  struct Entry: Codable {
    let name: String
    let size: Int64
    /// In hexadecimal.
    let sha256: String
    /// True if the storage had other bytes than were uploaded, and else left out.
    var damaged: Bool?
  }

  /// The last line but one, which sums up.
  package struct Summary: Sendable, Equatable, Codable {
    package var users: Int64 = 0
    package var photos: Int64 = 0
    package var photoBytes: Int64 = 0
    /// Photos that were deleted while the backup was made, so that they are not in it.
    package var deletedMeanwhile: Int64 = 0
    /// Photos whose files were missing or could not be read. Neither these nor their rows are in the backup.
    package var missing: Int64 = 0
    /// Photos that had other bytes than were uploaded. They are in the backup as they were in the storage.
    package var damaged: Int64 = 0
    /// Whether the backup has the API's name and password, because the server made them.
    package var hasCredentials = false
    /// Whether it has every photo as it was uploaded.
    package var isComplete: Bool { missing + damaged == 0 }

    /// Counts an entry of a backup.
    mutating func count(_ entry: BackupEntry, _ line: Entry) {
      switch entry {
      case .photo:
        photos += 1
        photoBytes += line.size
        if line.damaged == true { damaged += 1 }
      case .credentials: hasCredentials = true
      case .database, .manifest: break
      }
    }

    private enum CodingKeys: String, CodingKey {
      case users, photos, photoBytes = "photo_bytes", deletedMeanwhile = "deleted_meanwhile", missing, damaged
      case hasCredentials = "credentials"
    }
  }

  /// Ten times as long as any line.
  private static let maxLineBytes = 4096

  private(set) var head = Head(server: "", madeAt: "", schema: "")
  /// Known once there are no more entries.
  private(set) var summary: Summary?
  private let archive: ArchiveReader
  private var lines: LineReader
  private let digest = SHA256()

  init(_ archive: ArchiveReader, _ item: ArchiveReader.Item) throws {
    self.archive = archive
    lines = LineReader(archive.chunks(of: item))
    let line = try nextLine()
    guard case .number(let format)? = (try? JSONReader.read(line))?[member: "format"] else { throw damage }
    guard format == "\(Self.format)" else {
      throw OperationError(
        "\(archive.path) was made by another version of selfie-server, in a format that this version does not know.")
    }
    guard let head: Head = Self.read(line) else { throw damage }
    self.head = head
  }

  /// The next entry; nil at the end of a complete manifest.
  mutating func next() throws -> Entry? {
    if summary != nil { return nil }
    let line = try nextLine()
    if let entry: Entry = Self.read(line) { return entry }
    let digest = Digest.hex(digest.finish())
    guard let summary: Summary = Self.read(line), min(summary.missing, summary.deletedMeanwhile) >= 0,
      Self.read(try nextLine()) == ["sha256": digest], try lines.chunk().isEmpty
    else { throw damage }
    self.summary = summary
    return nil
  }

  private var damage: OperationError { archive.damage("its manifest is malformed") }

  private static func read<Members: Decodable>(_ line: [UInt8]) -> Members? { try? JSONReader.decode(from: line) }

  private mutating func nextLine() throws -> [UInt8] {
    guard let line = try lines.line(maxBytes: Self.maxLineBytes) else { throw damage }
    digest.update(line + [UInt8(ascii: "\n")])
    return line
  }

  static func line(_ members: some Encodable) throws -> [UInt8] {
    try JSONWriter.encode(members) + [UInt8(ascii: "\n")]
  }
}
