import TestSupport

/// Turns what a file says into bytes: `<<…>>`, `${…}` and `<kind#number>` are replaced, innermost first.
struct Placeholders {
  let functions: PlaceholderFunctions
  /// The values of earlier responses; nil leaves `<kind#number>` as it is written.
  var shapes: Shapes?

  func bytes(of text: String) throws -> [UInt8] {
    var rest = Array(text.utf8)[...]
    return try fill(&rest, until: nil)
  }

  func text(of text: String) throws -> String {
    String(decoding: try bytes(of: text), as: UTF8.self)
  }

  private func fill(_ rest: inout ArraySlice<UInt8>, until end: UInt8?) throws -> [UInt8] {
    var filled: [UInt8] = []
    while let byte = rest.first, byte != end {
      if byte == UInt8(ascii: "<"), rest.starts(with: "<<".utf8), let directive = Self.take(&rest, from: "<<", to: ">>")
      {
        filled += try Self.expand(directive)
      } else if byte == UInt8(ascii: "$"), rest.starts(with: "${".utf8) {
        filled += try template(&rest)
      } else if byte == UInt8(ascii: "<"), let value = try reference(&rest) {
        filled += value
      } else {
        filled.append(byte)
        rest = rest.dropFirst()
      }
    }
    return filled
  }

  /// `${name}` or `${name:argument}`.
  private func template(_ rest: inout ArraySlice<UInt8>) throws -> [UInt8] {
    rest = rest.dropFirst(2)
    let name = String(decoding: rest.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "}") }, as: UTF8.self)
    rest = rest.dropFirst(name.utf8.count)
    var argument: [UInt8]?
    if rest.first == UInt8(ascii: ":") {
      rest = rest.dropFirst()
      argument = try fill(&rest, until: UInt8(ascii: "}"))
    }
    guard rest.popFirst() == UInt8(ascii: "}") else { throw NotPossible("${\(name) has no end") }
    guard let value = argument.map({ functions.apply(name, to: $0) }) ?? functions.value(name) else {
      throw NotPossible("there is no template \(name)")
    }
    return Array(value.utf8)
  }

  /// `<kind#number>`; nil where nothing of the kind stands.
  private func reference(_ rest: inout ArraySlice<UInt8>) throws -> [UInt8]? {
    guard let shapes, let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
    let name = String(decoding: rest[...end], as: UTF8.self)
    guard name.wholeMatch(of: /<[a-z]+#[0-9]+>/) != nil else { return nil }
    guard let value = shapes.value(of: name) else { throw NotPossible("no response has brought \(name) yet") }
    rest = rest[(end + 1)...]
    return Array(value.utf8)
  }

  private static func take(_ rest: inout ArraySlice<UInt8>, from open: String, to close: String) -> String? {
    let inside = rest.dropFirst(open.utf8.count)
    guard let end = inside.indices.first(where: { inside[$0...].starts(with: close.utf8) }) else { return nil }
    rest = inside[(end + close.utf8.count)...]
    return String(decoding: inside[..<end], as: UTF8.self)
  }

  /// What stands between `<<` and `>>`.
  private static func expand(_ directive: String) throws -> [UInt8] {
    if directive == "bytes 0..255" { return Array(0...255) }
    if let match = directive.wholeMatch(of: /U\+([0-9A-F]+)/),
      let scalar = UInt32(match.1, radix: 16).flatMap(Unicode.Scalar.init)
    {
      return Array(String(scalar).utf8)
    }
    if let match = directive.wholeMatch(of: /hex ((?:[0-9a-f]{2})+)/) { return hex(match.1) }
    if let match = directive.wholeMatch(of: /([0-9]+) bytes i mod ([0-9]+)/),
      let count = Int(match.1), let modulus = Int(match.2)
    {
      let period = (0..<min(count, modulus)).map { UInt8(truncatingIfNeeded: $0) }
      var bytes: [UInt8] = []
      while bytes.count < count { bytes += period }
      return Array(bytes.prefix(count))
    }
    if let match = directive.wholeMatch(of: /([0-9]+) (.)/), let count = Int(match.1) {
      return Array(String(repeating: String(match.2), count: count).utf8)
    }
    throw NotPossible("<<\(directive)>> stands for nothing")
  }

  static func hex(_ digits: some StringProtocol) -> [UInt8] {
    let nibbles = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: nibbles.count - 1, by: 2).map { (index: Int) -> UInt8 in
      UInt8(nibbles[index] << 4 | nibbles[index + 1])
    }
  }
}
