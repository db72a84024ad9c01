/// The rest of a parameter's name, such as `a[b][]`, while it is read from left to right. `NestedParameters` stores the
/// value.
///
/// Every level looks at the bytes that its key takes, so a name takes time linear in its length. The original's `^` and `$`
/// also matched at line ends within a name, which no client can have meant.
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

  private let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
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
    return after.starts(with: "[]".utf8)
      ? (key, .memberOfElement(ParameterName(after.dropFirst(2)))) : (key, .member(ParameterName(after)))
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

  /// Whether `members` has no member of this name. A name of several levels is never there.
  func isNew(in members: [String: ParameterValue]) -> Bool {
    guard case (let key, .nothing)? = split() else { return true }
    return members[Self.text(key)] == nil
  }

  private static func isBracket(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
  }
}
