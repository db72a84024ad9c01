/// Reads the extensions after a chunk's size, byte by byte (RFC 9112 §7.1.1):
/// `*( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )`.
struct ChunkExtensionReader: Equatable {
  private enum State {
    /// Directly after the size, or after a quoted value.
    case end
    case spaceBeforeSemicolon
    case semicolon
    case name
    case spaceAfterName
    case equals
    case value
    case quoted
    case escape
  }

  private var state = State.end

  /// Whether the line may end here.
  var mayEnd: Bool { state == .end || state == .name || state == .value }

  /// Reads the next byte; false if the grammar does not allow it.
  mutating func read(_ byte: UInt8) -> Bool {
    guard let next = next(byte) else { return false }
    state = next
    return true
  }

  private func next(_ byte: UInt8) -> State? {
    let isSpace = byte == 0x20 || byte == 0x09
    switch (state, byte) {
    case (.quoted, UInt8(ascii: "\"")): return .end
    case (.quoted, UInt8(ascii: "\\")): return .escape
    case (.quoted, _), (.escape, _): return CharacterClass.isFieldValue(byte) ? .quoted : nil
    case (.semicolon, _), (.equals, _):
      if isSpace { return state }
      if CharacterClass.isToken(byte) { return state == .semicolon ? .name : .value }
      return state == .equals && byte == UInt8(ascii: "\"") ? .quoted : nil
    case (.name, _) where CharacterClass.isToken(byte), (.value, _) where CharacterClass.isToken(byte): return state
    case (.name, UInt8(ascii: "=")), (.spaceAfterName, UInt8(ascii: "=")): return .equals
    case (_, UInt8(ascii: ";")): return .semicolon
    case (.name, _), (.spaceAfterName, _): return isSpace ? .spaceAfterName : nil
    case (.end, _), (.value, _), (.spaceBeforeSemicolon, _): return isSpace ? .spaceBeforeSemicolon : nil
    }
  }
}
