/// Collects parameters pair by pair and nests them by their names (`a[b]`, `a[]`), as rack 1.5.2's `normalize_params`
/// does. Forms, query strings and multipart bodies share it.
package struct NestedParameters: Sendable {
  /// Pairs in one form. The widest form that a client sends has five; each pair costs a dictionary entry.
  package static let maxPairs = 1_024
  /// Levels of nesting in one name. rack allows 100; each level costs stack, and no client uses more than two.
  package static let maxDepth = 32
  /// Levels of all names together: each costs a dictionary or an array.
  package static let maxLevels = 4_096

  /// The top-level parameters so far.
  package private(set) var values: [String: ParameterValue] = [:]
  private var pairCount = 0
  private var levelCount = 0

  package init() {}

  /// Puts `value` where `name` says. Of two equal names the last wins. A name with only brackets is ignored.
  ///
  /// Throws if another name made the same parameter something else, or if the limits are exceeded.
  package mutating func add(_ value: ParameterValue, named name: String) throws(ParameterError) {
    pairCount += 1
    guard pairCount <= Self.maxPairs else {
      throw ParameterError(message: "Too many parameters: send at most \(Self.maxPairs).")
    }
    _ = try Self.insert(
      value, named: ParameterName(Array(name.utf8)[...]), into: &values, depth: 0, levels: &levelCount)
  }

  /// False if the name has no key, where Ruby's `normalize_params` returned nil.
  private static func insert(
    _ value: ParameterValue, named name: ParameterName, into members: inout [String: ParameterValue], depth: Int,
    levels: inout Int
  ) throws(ParameterError) -> Bool {
    guard depth <= maxDepth else {
      throw ParameterError(message: "A parameter name is nested too deep: use at most \(maxDepth) levels.")
    }
    levels += 1
    guard levels <= maxLevels else {
      throw ParameterError(message: "The parameters are nested too deep: use at most \(maxLevels) levels in all.")
    }
    guard let (keyBytes, rest) = name.split() else { return false }
    let key = ParameterName.text(keyBytes)
    switch rest {
    case .nothing: members[key] = value
    case .element:
      var elements = try takeArray(key, from: &members)
      elements.append(value)
      members[key] = .array(elements)
    case .memberOfElement(let member):
      var elements = try takeArray(key, from: &members)
      try insert(value, member: member, intoLastOf: &elements, depth: depth + 1, levels: &levels)
      members[key] = .array(elements)
    case .member(let member):
      var nested = try takeObject(key, from: &members)
      let isKept = try insert(value, named: member, into: &nested, depth: depth + 1, levels: &levels)
      members[key] = isKept ? .object(nested) : .null
    }
    return true
  }

  /// `a[][b]=1&a[][c]=2` fills one object. A member that the last object already has begins another.
  private static func insert(
    _ value: ParameterValue, member: ParameterName, intoLastOf elements: inout [ParameterValue], depth: Int,
    levels: inout Int
  ) throws(ParameterError) {
    if case .object(var last)? = elements.last, member.isNew(in: last) {
      elements.removeLast()
      _ = try insert(value, named: member, into: &last, depth: depth, levels: &levels)
      elements.append(.object(last))
    } else {
      var object: [String: ParameterValue] = [:]
      let isKept = try insert(value, named: member, into: &object, depth: depth, levels: &levels)
      elements.append(isKept ? .object(object) : .null)
    }
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
    let key = String(key.unicodeScalars.prefix(64))
    return ParameterError(
      message: "The parameter \"\(key)\" is given both as \(kind) and as something else: use one form of it.")
  }
}
