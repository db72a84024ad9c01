import HTTPMessages

@testable import HTTPServer

/// A chunked body gives the same content, or is refused, wherever its bytes are split.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let whole = decode(bytes, pieceSize: max(1, count))
  precondition(decode(bytes, pieceSize: 1) == whole, "the same content byte by byte")
  precondition(decode(bytes, pieceSize: 7) == whole, "the same content in pieces of seven")
  return 0
}

/// The content, whether the body has ended, and how many bytes it had. Nil if it was refused.
private func decode(_ bytes: UnsafeBufferPointer<UInt8>, pieceSize: Int) -> [Int]? {
  var decoder = ChunkedDecoder(limits: Limits())
  var content: [Int] = []
  var used = 0
  while used < bytes.count, !decoder.isAtEnd {
    let piece = UnsafeBufferPointer(rebasing: bytes[used..<min(bytes.count, used + pieceSize)])
    guard let count = try? decoder.decode(piece.span, take: { $0.withUnsafeBufferPointer { content += $0.map(Int.init) } }) else { return nil }
    precondition(count == piece.count || decoder.isAtEnd)
    used += count
  }
  return content + [decoder.isAtEnd ? -1 : -2, used]
}
