import Cryptography
import HTTPMessages

/// Reads a manifest from an archive, a line at a time. `BackupManifest` has the format.
struct ManifestReader {
  /// Ten times as long as any line.
  private static let maxLineBytes = 4096

  private(set) var head = BackupManifest.Head(server: "", madeAt: "", schema: "")
  /// Known once there are no more entries.
  private(set) var summary: BackupManifest.Summary?
  private let archive: ArchiveReader
  private var lines: LineReader
  private let digest = SHA256()

  init(_ archive: ArchiveReader, _ item: ArchiveReader.Item) throws {
    self.archive = archive
    lines = LineReader(archive.chunks(of: item))
    let line = try nextLine()
    guard case .number(let format)? = (try? JSONReader.read(line))?[member: "format"] else { throw damage }
    guard format == "\(BackupManifest.format)" else {
      throw OperationError(
        "\(archive.path) was made by another version of selfie-server, in a format that this version does not know.")
    }
    guard let head: BackupManifest.Head = Self.read(line) else { throw damage }
    self.head = head
  }

  /// The next entry; nil at the end of a complete manifest.
  mutating func next() throws -> BackupManifest.Entry? {
    if summary != nil { return nil }
    let line = try nextLine()
    if let entry: BackupManifest.Entry = Self.read(line) { return entry }
    let digest = Digest.hex(digest.finish())
    guard let summary: BackupManifest.Summary = Self.read(line), min(summary.missing, summary.deletedMeanwhile) >= 0,
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
}
