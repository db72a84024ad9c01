import Platform

/// What a request sends.
public enum RequestContent: Sendable {
  case none
  case bytes([UInt8])
  /// The beginning of a file. It must not change meanwhile.
  case file(OpenFile, byteCount: Int64)

  public var byteCount: Int64 {
    switch self {
    case .none: 0
    case .bytes(let bytes): Int64(bytes.count)
    case .file(_, let byteCount): byteCount
    }
  }

  /// The bytes from an offset on, at most so many; none at the end.
  ///
  /// - Throws: `ClientError.unreadableContent` also if a file is shorter than it was said to be.
  package func bytes(at offset: Int64, maxBytes: Int) throws(ClientError) -> [UInt8] {
    let count = Int(clamping: min(Int64(clamping: maxBytes), byteCount - offset))
    guard offset >= 0, count > 0 else { return [] }
    switch self {
    case .none: return []
    case .bytes(let bytes): return Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
    case .file(let file, _):
      do throws(FileError) {
        let bytes = try FileSystem.read(file, at: Int(offset), count, path: "")
        if !bytes.isEmpty { return bytes }
      } catch {
        throw .unreadableContent(error.withoutPath)
      }
      throw .unreadableContent("the file is shorter than it was")
    }
  }
}
