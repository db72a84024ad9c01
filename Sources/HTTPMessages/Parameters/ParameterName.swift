/// The rest of a parameter's name, such as `a[b][]`, while it is read from left to right.
///
/// Every level looks at the bytes that its key takes. Only the search for other lines looks further, and no name is
/// searched twice.
struct ParameterName {
  /// The part after a key.
  enum Rest {
    case nothing
    /// `[]`
    case element
    /// `[][name]` or `[]name`
    case memberOfElement(ParameterName)
    /// `[name]`
    case member(ParameterName)
  }

  /// Findings about the lines after the first: Ruby's `^` and `$` match at each of them.
  private enum Lines {
    case unsearched
    /// None of them begins with the member of an element.
    case withoutMember
    case none
  }

  private let bytes: ArraySlice<UInt8>
  private let lines: Lines

  init(_ bytes: [UInt8]) {
    self.init(bytes[...], .unsearched)
  }

  private init(_ bytes: ArraySlice<UInt8>, _ lines: Lines) {
    self.bytes = bytes
    self.lines = lines
  }

  /// The first key and what follows it; nil if there is no key.
  func split() -> (key: ArraySlice<UInt8>, rest: Rest)? {
    // name =~ %r(\A[\[\]]*([^\[\]]+)\]*)
    let trimmed = bytes.drop(while: Self.isBracket)
    let key = trimmed.prefix { !Self.isBracket($0) }
    guard !key.isEmpty else { return nil }
    let after = trimmed[key.endIndex...].drop { $0 == UInt8(ascii: "]") }
    if after.isEmpty { return (key, .nothing) }
    if after.elementsEqual("[]".utf8) { return (key, .element) }
    if let member = memberOfElement(after) { return (key, .memberOfElement(member)) }
    return (key, .member(ParameterName(after, lines == .none ? .none : .withoutMember)))
  }

  /// A key as text. A long one that is not ASCII gets question marks: a dictionary normalises its keys, which takes time
  /// quadratic in a run of combining marks, and no endpoint knows such a name.
  static func text(_ key: ArraySlice<UInt8>) -> String {
    guard key.count > maxUnicodeBytes, !key.allSatisfy({ $0 < 0x80 }) else {
      return String(decoding: key, as: UTF8.self)
    }
    return String(decoding: key.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  /// Bytes of a name that is not ASCII.
  private static let maxUnicodeBytes = 64

  /// Whether `members` has no member of this name. Keys hold no brackets.
  func isNew(in members: [String: ParameterValue]) -> Bool {
    let key = bytes.prefix { !Self.isBracket($0) }
    return key.count < bytes.count || members[Self.text(key)] == nil
  }

  /// after =~ %r(^\[\]\[([^\[\]]+)\]$) || after =~ %r(^\[\](.+)$)
  private func memberOfElement(_ after: ArraySlice<UInt8>) -> ParameterName? {
    if let member = Self.bracketedMember(after) ?? firstInLines(of: after, Self.bracketedMember) {
      return ParameterName(member, .none)
    }
    if let member = plainMember(after) ?? firstInLines(of: after, plainMember) { return ParameterName(member, .none) }
    return nil
  }

  /// ^\[\]\[([^\[\]]+)\]$
  private static func bracketedMember(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard line.starts(with: "[][".utf8) else { return nil }
    let member = line.dropFirst(3).prefix { !isBracket($0) }
    let rest = line[member.endIndex...]
    guard !member.isEmpty, rest.first == UInt8(ascii: "]") else { return nil }
    return rest.dropFirst().first ?? .lineFeed == .lineFeed ? member : nil
  }

  /// ^\[\](.+)$
  private func plainMember(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard line.starts(with: "[]".utf8) else { return nil }
    let rest = line.dropFirst(2)
    let member = lines == .none ? rest : rest.prefix { $0 != .lineFeed }
    return member.isEmpty ? nil : member
  }

  /// The first result for a line after the first.
  private func firstInLines(
    of text: ArraySlice<UInt8>, _ match: (ArraySlice<UInt8>) -> ArraySlice<UInt8>?
  ) -> ArraySlice<UInt8>? {
    guard lines == .unsearched else { return nil }
    var rest = text
    while let lineFeed = rest.firstIndex(of: .lineFeed) {
      rest = rest[(lineFeed + 1)...]
      if let found = match(rest) { return found }
    }
    return nil
  }

  private static func isBracket(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
  }
}
