import HTTPMessages

/// A multipart body has the same parts, or is refused, wherever its bytes are split. The first line of the input is the
/// boundary.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  _ = try? BodyKind(contentType: bytes[...])
  guard let newline = bytes.firstIndex(of: 0x0a), newline > 0, newline <= MultipartParser.maxBoundary else {
    return 0
  }
  let boundary = Array(bytes[..<newline])
  // A field's value has no control characters (RFC 9110 §5.5).
  guard boundary.allSatisfy({ $0 >= 0x20 }) else { return 0 }
  let body = bytes[(newline + 1)...]
  let whole = parts(of: body, boundary: boundary, pieceSize: max(1, body.count))
  precondition(parts(of: body, boundary: boundary, pieceSize: 1) == whole, "the same parts byte by byte")
  precondition(parts(of: body, boundary: boundary, pieceSize: 13) == whole, "the same parts in pieces of 13")
  return 0
}

private struct Part: Equatable {
  let head: PartHead
  var data: [UInt8] = []
  var isWhole = false
}

/// The parts. Nil if the body was refused.
private func parts(of body: ArraySlice<UInt8>, boundary: [UInt8], pieceSize: Int) -> [Part]? {
  var parser = MultipartParser(boundary: boundary)
  var parts: [Part] = []
  var rest = body
  do {
    while true {
      switch try parser.next() {
      case .part(let head): parts.append(Part(head: head))
      case .data(let data): parts[parts.count - 1].data += data
      case .partEnd: parts[parts.count - 1].isWhole = true
      case .end: return parts
      case .needsMore:
        guard !rest.isEmpty else {
          try parser.finish()
          return parts
        }
        parser.append(Array(rest.prefix(pieceSize)))
        rest = rest.dropFirst(pieceSize)
      }
    }
  } catch {
    return nil
  }
}
