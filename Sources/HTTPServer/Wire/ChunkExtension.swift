/// A place in the extensions after a chunk's size, which are read byte by byte (RFC 9112 §7.1.1):
/// `*( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )`.
/// `ChunkedDecoder` reads sizes, chunks and trailers.
enum ChunkExtension {
  /// Directly after the size, or after a quoted value.
  case end
  case spaceBeforeSemicolon, semicolon, name, spaceAfterName, equals, value, quoted, escape

  /// Whether the line may end here.
  var mayEnd: Bool { self == .end || self == .name || self == .value }

  /// The place after the next byte; nil if the grammar does not allow it.
  func next(_ byte: UInt8) -> ChunkExtension? {
    let isSpace = byte == 0x20 || byte == 0x09
    switch (self, byte) {
    case (.quoted, UInt8(ascii: "\"")): return .end
    case (.quoted, UInt8(ascii: "\\")): return .escape
    case (.quoted, _), (.escape, _): return byte.isFieldValue ? .quoted : nil
    case (.semicolon, _), (.equals, _):
      if isSpace { return self }
      if byte.isToken { return self == .semicolon ? .name : .value }
      return self == .equals && byte == UInt8(ascii: "\"") ? .quoted : nil
    case (.name, _) where byte.isToken, (.value, _) where byte.isToken: return self
    case (.name, UInt8(ascii: "=")), (.spaceAfterName, UInt8(ascii: "=")): return .equals
    case (_, UInt8(ascii: ";")): return .semicolon
    case (.name, _), (.spaceAfterName, _): return isSpace ? .spaceAfterName : nil
    case (.end, _), (.value, _), (.spaceBeforeSemicolon, _): return isSpace ? .spaceBeforeSemicolon : nil
    }
  }
}
