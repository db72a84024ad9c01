import Cryptography
import Glibc
import HTTPMessages
import Platform
import SelfieAPI

/// Collects the lines of a manifest in a file without a name, since the manifest's size must be known before it is put
/// into the archive.
struct ManifestWriter {
  let file: OpenFile
  let path: String
  private var digest = SHA256()
  private var gathered: [UInt8] = []

  /// - Parameter path: the name that the file has for an instant.
  init(path: String, head: BackupManifest.Head) throws {
    try FileSystem.remove(path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError("open", path) }
    file = OpenFile(owning: descriptor)
    self.path = path
    try FileSystem.remove(path)
    try append(BackupManifest.line(head))
  }

  mutating func append(_ entry: BackupManifest.Entry) throws { try append(BackupManifest.line(entry)) }

  /// Writes the rest of the manifest to the file.
  mutating func finish(_ summary: BackupManifest.Summary) throws {
    try append(BackupManifest.line(summary))
    gathered += BackupManifest.line(digest: digest.finish())
    try flush()
  }

  private mutating func append(_ line: [UInt8]) throws {
    digest.update(line)
    gathered += line
    if gathered.count >= 64 * 1024 { try flush() }
  }

  private mutating func flush() throws {
    try FileSystem.write(gathered[...], to: file, path: path)
    gathered.removeAll(keepingCapacity: true)
  }
}

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
    switch try nextLine() {
    case .head(let head): self.head = head
    case .otherFormat: throw BackupUnusable.newer(archive.path)
    default: throw damage
    }
  }

  /// The next entry; nil at the end of a complete manifest.
  mutating func next() throws -> BackupManifest.Entry? {
    if summary != nil { return nil }
    switch try nextLine() {
    case .entry(let entry): return entry
    case .summary(let summary):
      let digest = Digest.hex(digest.finish())
      guard case .digest(digest) = try nextLine(), buffer.isEmpty, offset == end else { throw damage }
      self.summary = summary
      return nil
    default: throw damage
    }
  }

  private var damage: BackupUnusable { .damaged(archive.path, "its manifest is not sound") }

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
