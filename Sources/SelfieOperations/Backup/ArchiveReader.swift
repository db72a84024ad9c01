import Glibc
import Platform

/// Reads the archives that `BackupWriter` writes, and no others. It does not trust the sizes in them: it checks that
/// the bytes are there. `BackupArchive` compares the contents with the manifest.
struct ArchiveReader {
  /// An entry, and the offset of its contents.
  struct Item {
    let entry: BackupEntry
    let header: TarHeader
    let offset: Int64

    /// The offset of the next entry.
    var end: Int64 { offset + header.byteCount + Int64(header.padding) }
  }

  /// Bytes that are read at once.
  private static let chunkBytes: Int64 = 256 * 1024
  private static let block = Int64(TarHeader.blockBytes)

  let path: String
  let byteCount: Int64
  /// Whether to make do with what is intact.
  let skipsDamaged: Bool
  private let file: OpenFile

  init(path: String, skipsDamaged: Bool) throws {
    guard let plain = try PlainFile(at: path, followsLink: true) else { throw FileError("open", path, number: ENOENT) }
    file = plain.file
    self.path = path
    self.skipsDamaged = skipsDamaged
    byteCount = plain.byteCount
  }

  /// The manifest, searched for from the end of the archive. All of it is text.
  func manifest() throws -> Item {
    var offset = byteCount - byteCount % Self.block
    while offset > 0 {
      offset -= Self.block
      let bytes = try read(at: offset, TarHeader.blockBytes)
      if let header = TarHeader(bytes), header.name == BackupEntry.manifest.name {
        let item = Item(entry: .manifest, header: header, offset: offset + Self.block)
        // Compared in a way that cannot overflow, whatever the header says.
        guard header.byteCount <= byteCount - item.offset else { break }
        if skipsDamaged { return item }
        guard item.end == byteCount - Int64(TarHeader.end.count), try areZeros(at: item.end, TarHeader.end.count) else {
          throw damage("something is missing at its end, or follows it")
        }
        return item
      }
      guard bytes.allSatisfy({ [0, 0x0a].contains($0) || (0x20...0x7e).contains($0) }) else { break }
    }
    let head = try read(at: 0, Int(min(byteCount, Self.block)))
    guard byteCount > Self.block, TarHeader(head) != nil else { throw noBackup(head) }
    throw damage("its end with the manifest is missing")
  }

  /// The entry of a line of the manifest, which begins at `offset`; nil if there is none.
  func item(of line: BackupManifest.Entry, at offset: Int64) throws -> Item? {
    let start = offset + Self.block
    guard let entry = BackupEntry(name: line.name), (0...byteCount).contains(line.size), start <= byteCount - line.size
    else { return nil }
    let header = TarHeader(name: line.name, byteCount: line.size, modifiedAt: 0)
    // The manifest says what a damaged header does not.
    if !skipsDamaged {
      guard let found = TarHeader(try read(at: offset, TarHeader.blockBytes)), found.name == header.name,
        found.byteCount == header.byteCount
      else { return nil }
    }
    return Item(entry: entry, header: header, offset: start)
  }

  /// Checks the padding of the last block.
  func checkEnd(of item: Item) throws {
    guard try areZeros(at: item.offset + item.header.byteCount, item.header.padding) else {
      throw damage("something follows \(item.entry.name)")
    }
  }

  /// Returns the next chunk of an entry's contents; none at their end.
  func chunks(of item: Item) -> () throws -> [UInt8] {
    var offset = item.offset
    return {
      let bytes = try read(at: offset, Int(min(Self.chunkBytes, item.offset + item.header.byteCount - offset)))
      offset += Int64(bytes.count)
      return bytes
    }
  }

  /// Reads exactly `count` bytes.
  func read(at offset: Int64, _ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = try FileSystem.read(file, at: off_t(offset) + bytes.count, count - bytes.count, path: path)
      guard !more.isEmpty else { throw damage("it became shorter while it was read") }
      bytes += more
    }
    return bytes
  }

  func damage(_ what: String) -> OperationError {
    let rest = skipsDamaged ? "unpack what is left with tar xf" : "restore what is intact with restore --skip-damaged"
    return OperationError("\(path) is damaged: \(what). Use another backup, or \(rest).")
  }

  private func noBackup(_ head: [UInt8]) -> OperationError {
    let textForm = "went through PowerShell's >, which spoils it. Make another one with: selfie-server backup FILE"
    let reason = compressedForm(of: head, name: path) ?? (isUTF16(head) ? textForm : nil)
    return OperationError("\(path) \(reason ?? "is not a backup of selfie-server, or its beginning is damaged.")")
  }

  private func areZeros(at offset: Int64, _ count: Int) throws -> Bool {
    try read(at: offset, count).allSatisfy { $0 == 0 }
  }
}
