import Cryptography

/// Reads a manifest from an archive, a line at a time.
struct ManifestReader {
  /// Ten times as long as any line.
  private static let maxLineBytes = 4096
  private static let chunkBytes = 64 * 1024

  private(set) var head = BackupManifest.Head(server: "", madeAt: "", schema: "")
  /// Known once there are no more entries.
  private(set) var summary: BackupManifest.Summary?
  private let archive: ArchiveReader
  private var offset: Int64
  private let end: Int64
  private var buffer: ArraySlice<UInt8> = []
  private var digest = SHA256()

  init(_ archive: ArchiveReader, _ item: ArchiveReader.Item) throws {
    self.archive = archive
    offset = item.offset
    end = item.offset + item.header.byteCount
    let line = try nextLine()
    guard let format = line.format else { throw damage }
    guard format == BackupManifest.format else {
      throw BackupUnusable(
        description: "\(archive.path) was made by another selfie-server, in a format that this one does not know.")
    }
    guard let head = line.head else { throw damage }
    self.head = head
  }

  /// The next entry; nil at the end of a complete manifest.
  mutating func next() throws -> BackupManifest.Entry? {
    if summary != nil { return nil }
    let line = try nextLine()
    if let entry = line.entry { return entry }
    let digest = Digest.hex(digest.finish())
    guard let summary = line.summary, try nextLine().digest == digest, buffer.isEmpty, offset == end else {
      throw damage
    }
    self.summary = summary
    return nil
  }

  private var damage: BackupUnusable { archive.damage("its manifest is not sound") }

  private mutating func nextLine() throws -> ManifestLine {
    while !buffer.contains(UInt8(ascii: "\n")) {
      guard buffer.count < Self.maxLineBytes, offset < end else { throw damage }
      let bytes = try archive.read(at: offset, Int(min(Int64(Self.chunkBytes), end - offset)))
      offset += Int64(bytes.count)
      buffer = ArraySlice(Array(buffer) + bytes)
    }
    let line = Array(buffer.prefix { $0 != UInt8(ascii: "\n") })
    buffer = buffer.dropFirst(line.count + 1)
    guard line.count <= Self.maxLineBytes, let read = ManifestLine(line) else { throw damage }
    digest.update(line + [UInt8(ascii: "\n")])
    return read
  }
}
