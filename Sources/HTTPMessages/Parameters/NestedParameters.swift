/// Collects parameters pair by pair and nests them by their names (`a[b]`, `a[]`), as rack 1.5.2's `normalize_params`
/// does. Forms, query strings and multipart bodies share it.
public struct NestedParameters: Sendable {
  /// Pairs in one form. The widest form that a client sends has five; each pair costs a dictionary entry.
  public static let maxPairs = 1_024
  /// Levels of nesting in one name. rack allows 100; each level costs stack, and no client uses more than two.
  public static let maxDepth = 32

  /// The top-level parameters so far.
  public private(set) var values: [String: ParameterValue] = [:]
  private var pairCount = 0

  public init() {}

  /// Puts `value` where `name` says. Of two equal names the last wins. A name with only brackets is ignored.
  ///
  /// Throws if another name made the same parameter something else, or if the limits are exceeded.
  public mutating func add(_ value: ParameterValue, named name: String) throws(ParameterError) {
    pairCount += 1
    guard pairCount <= Self.maxPairs else {
      throw ParameterError(message: "Too many parameters: send at most \(Self.maxPairs).")
    }
    _ = try Self.insert(value, named: Array(name.utf8)[...], into: &values, depth: 0)
  }

  /// False if the name has no key, where Ruby's `normalize_params` returned nil.
  private static func insert(
    _ value: ParameterValue, named name: ArraySlice<UInt8>, into members: inout [String: ParameterValue], depth: Int
  ) throws(ParameterError) -> Bool {
    guard depth <= maxDepth else {
      throw ParameterError(message: "A parameter name is nested too deep: use at most \(maxDepth) levels.")
    }
    // name =~ %r(\A[\[\]]*([^\[\]]+)\]*)
    let trimmed = name.drop(while: isBracket)
    let keyBytes = trimmed.prefix { !isBracket($0) }
    guard !keyBytes.isEmpty else { return false }
    let key = String(decoding: keyBytes, as: UTF8.self)
    let after = trimmed[keyBytes.endIndex...].drop { $0 == UInt8(ascii: "]") }

    if after.isEmpty {
      members[key] = value
    } else if after.elementsEqual("[]".utf8) {
      var elements = try takeArray(key, from: &members)
      elements.append(value)
      members[key] = .array(elements)
    } else if let child = elementMember(after) {
      var elements = try takeArray(key, from: &members)
      try insert(value, member: child, intoLastOf: &elements, depth: depth + 1)
      members[key] = .array(elements)
    } else {
      var nested = try takeObject(key, from: &members)
      let isKept = try insert(value, named: after, into: &nested, depth: depth + 1)
      members[key] = isKept ? .object(nested) : .null
    }
    return true
  }

  /// `a[][b]=1&a[][c]=2` fills one object. A member that the last object already has begins another.
  private static func insert(
    _ value: ParameterValue, member: ArraySlice<UInt8>, intoLastOf elements: inout [ParameterValue], depth: Int
  ) throws(ParameterError) {
    if case .object(var last)? = elements.last, last[String(decoding: member, as: UTF8.self)] == nil {
      elements.removeLast()
      _ = try insert(value, named: member, into: &last, depth: depth)
      elements.append(.object(last))
    } else {
      var object: [String: ParameterValue] = [:]
      let isKept = try insert(value, named: member, into: &object, depth: depth)
      elements.append(isKept ? .object(object) : .null)
    }
  }

  /// The name of a member of an array's element: after =~ %r(^\[\]\[([^\[\]]+)\]$) || after =~ %r(^\[\](.+)$).
  /// Ruby's ^ and $ are those of a line.
  private static func elementMember(_ after: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let newline = UInt8(ascii: "\n")
    let lineStarts = sequence(first: after.startIndex) { start in
      after.firstOccurrence(of: [newline], from: start).map { $0 + 1 }
    }
    for start in lineStarts where after[start...].starts(with: "[][".utf8) {
      let member = after[(start + 3)...].prefix { !isBracket($0) }
      let rest = after[member.endIndex...]
      if !member.isEmpty, rest.first == UInt8(ascii: "]"), rest.dropFirst().first ?? newline == newline {
        return member
      }
    }
    for start in lineStarts where after[start...].starts(with: "[]".utf8) {
      let member = after[(start + 2)...].prefix { $0 != newline }
      if !member.isEmpty { return member }
    }
    return nil
  }

  private static func takeArray(
    _ key: String, from members: inout [String: ParameterValue]
  ) throws(ParameterError) -> [ParameterValue] {
    switch members.removeValue(forKey: key) {
    case nil, .null: return []
    case .array(let elements): return elements
    default: throw contradiction(key, "a list")
    }
  }

  private static func takeObject(
    _ key: String, from members: inout [String: ParameterValue]
  ) throws(ParameterError) -> [String: ParameterValue] {
    switch members.removeValue(forKey: key) {
    case nil, .null: return [:]
    case .object(let nested): return nested
    default: throw contradiction(key, "an object")
    }
  }

  private static func contradiction(_ key: String, _ kind: String) -> ParameterError {
    ParameterError(
      message: "The parameter \"\(key.prefix(64))\" is given both as \(kind) and as something else: use one form of it."
    )
  }

  private static func isBracket(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
  }
}
