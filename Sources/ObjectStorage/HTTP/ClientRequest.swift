import HTTPMessages
package import Platform

/// A request that `HTTPClient` sends to a server. `SignatureV4` signs it, and `Transfer` has its progress.
struct ClientRequest: Sendable {
  let method: Method
  /// Percent-encoded. It is sent as it is.
  let url: String
  /// Their values must have no control characters.
  var fields: [(name: String, value: String)] = []
  /// Of a PUT only.
  var content = RequestContent.bytes([])
  /// A longer body of a successful response is an error.
  var maxBodyBytes = 0

  /// The fields as libcurl takes them; nil if one could end its line.
  var lines: [String]? {
    // libcurl would wait for `100 Continue` for a second, which some servers never send.
    let lines = fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" } + ["Expect:"]
    let isAllowed = lines.allSatisfy { line in line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
    return isAllowed ? lines : nil
  }

  /// How many bytes it may move in either direction.
  var maxTransferBytes: Int64 { max(content.byteCount, Int64(maxBodyBytes)) }
}

/// The body of a request.
package enum RequestContent: Sendable {
  case bytes([UInt8])
  /// The beginning of a file. It must not change meanwhile.
  case file(OpenFile, byteCount: Int64)

  var byteCount: Int64 {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(_, let byteCount): byteCount
    }
  }

  /// The bytes from an offset on, at most so many; none at the end.
  ///
  /// - Throws: an error also if a file is shorter than it was said to be.
  func bytes(at offset: Int64, maxBytes: Int) throws(ObjectStoreError) -> [UInt8] {
    let count = Int(clamping: min(Int64(clamping: maxBytes), byteCount - offset))
    guard offset >= 0, count > 0 else { return [] }
    switch self {
    case .bytes(let bytes): return Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
    case .file(let file, _):
      do throws(FileError) {
        let bytes = try FileSystem.read(file, at: Int(offset), count, path: "")
        if !bytes.isEmpty { return bytes }
      } catch {
        throw .failed("the content cannot be read: \(error.withoutPath)")
      }
      throw .failed("the file is shorter than it was")
    }
  }
}
