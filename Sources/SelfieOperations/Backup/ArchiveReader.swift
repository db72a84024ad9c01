import Glibc
import Platform

/// Reads the archives that ``ArchiveWriter`` writes, and no others. It does not trust the sizes in them: it checks that
/// the bytes are there.
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

  let path: String
  let byteCount: Int64
  private let file: OpenFile

  init(path: String) throws {
    guard let plain = try PlainFile(at: path, followsLink: true) else { throw FileError("open", path, number: ENOENT) }
    file = plain.file
    self.path = path
    byteCount = plain.byteCount
  }

  /// The entry that begins at an offset; nil at the two blocks of zeros that end the archive.
  func item(at offset: Int64) throws -> Item? {
    guard offset <= byteCount - Int64(TarHeader.end.count) else {
      throw offset == 0 ? noBackup(try read(at: 0, Int(min(byteCount, 8)))) : damage("it ends too early")
    }
    let block = try read(at: offset, TarHeader.blockBytes)
    if block.allSatisfy({ $0 == 0 }) {
      guard offset > 0, offset == byteCount - Int64(TarHeader.end.count), try areZeros(at: offset, TarHeader.end.count)
      else { throw damage("something follows its end") }
      return nil
    }
    guard let header = TarHeader(block), let entry = BackupEntry(name: header.name) else {
      throw offset == 0 ? noBackup(block) : damage("at byte \(offset) there is no entry of a backup")
    }
    let item = Item(entry: entry, header: header, offset: offset + Int64(TarHeader.blockBytes))
    // Compared in a way that cannot overflow, whatever the header says.
    guard header.byteCount <= byteCount - item.offset, item.end <= byteCount else {
      throw damage("it ends in the middle of \(entry.name)")
    }
    return item
  }

  /// Calls `body` for each chunk of an entry's contents, and checks the padding of its last block.
  func forEachChunk(of item: Item, _ body: ([UInt8]) throws -> Void) throws {
    let next = chunks(of: item)
    while case let bytes = try next(), !bytes.isEmpty { try body(bytes) }
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
    OperationError("\(path) is damaged: \(what). Use another backup.")
  }

  private func noBackup(_ head: [UInt8]) -> OperationError {
    let textForm = "went through PowerShell's >, which spoils it. Make another one with: selfie-server backup FILE"
    let reason = ForeignForm.compressed(head, name: path) ?? (ForeignForm.isUTF16(head) ? textForm : nil)
    return OperationError("\(path) \(reason ?? "is not a backup of selfie-server, or its beginning is damaged.")")
  }

  private func areZeros(at offset: Int64, _ count: Int) throws -> Bool {
    try read(at: offset, count).allSatisfy { $0 == 0 }
  }
}
