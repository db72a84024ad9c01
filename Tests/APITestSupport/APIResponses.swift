import Glibc
import HTTPMessages

extension Response {
  /// What the client would receive as the body.
  package var content: [UInt8] {
    switch body {
    case .bytes(let bytes): bytes
    case .file(let file, let offset, let length):
      [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
        count = max(0, pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset)))
      }
    case .stream, .pages, .raw:
      preconditionFailure("a body that is fetched while it is sent: ask for its `fetchedContent`")
    }
  }

  /// The same of a body that is fetched piece by piece.
  package func fetchedContent() async throws -> [UInt8] {
    let (stream, offset, length): (BodyStream, Int64, Int64)
    switch body {
    case .pages(let source), .raw(let source): return try await source.collect()
    case .stream(let source, let start, let count): (stream, offset, length) = (source, start, count)
    case .bytes, .file: return content
    }
    var bytes: [UInt8] = []
    while bytes.count < length {
      bytes += try await stream.piece(
        at: offset + Int64(bytes.count), count: min(Int(length) - bytes.count, BodyStream.maxPieceBytes))
    }
    return bytes
  }

  /// The response with all of its body in memory.
  package func fetched() async throws -> Response {
    var response = self
    response.body = .bytes(try await fetchedContent())
    return response
  }

  /// The pages of a long list.
  package var pages: BodyStream? { if case .pages(let pages) = body { pages } else { nil } }

  package var text: String { String(decoding: content, as: UTF8.self) }

  /// The body as a JSON value; null when it is none.
  package var json: ParameterValue { (try? JSONReader.read(content)) ?? .null }

  /// A member of the body's object, where it is a string.
  package func member(_ name: String) -> String? {
    guard case .object(let members) = json, case .string(let text)? = members[name] else { return nil }
    return text
  }

  package var message: String? { member("message") }

  /// The elements of the body's array, each with its members that are strings.
  package var elements: [[String: String]] {
    guard case .array(let elements) = json else { return [] }
    return elements.map { element in
      guard case .object(let members) = element else { return [:] }
      return members.compactMapValues { if case .string(let text) = $0 { text } else { nil } }
    }
  }
}
