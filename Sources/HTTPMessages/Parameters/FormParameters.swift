import Platform

/// Collects parameters pair by pair and nests them by their names (`a[b]`, `a[]`), as rack 1.5.2's `normalize_params`
/// does. Query strings, `application/x-www-form-urlencoded` bodies and multipart bodies share it. PercentEncoding.swift
/// decodes the texts, and `Parameters` merges query and body.
///
/// Every level looks at the bytes that its key takes, so a name takes time linear in its length. The original's `^` and `$`
/// also matched at line ends within a name, which no client can have meant.
package struct FormParameters: Sendable {
  /// Pairs in one form. The widest form that a client sends has five; each pair costs a dictionary entry.
  package static let maxPairs = 1_024
  /// Levels of nesting in one name. rack allows 100; each level costs stack, and no client uses more than two.
  package static let maxDepth = 32
  /// Levels of all names together: each costs a dictionary or an array.
  package static let maxLevels = 4_096
  /// The memory of a level, in bytes: a dictionary of one value takes 161 with the value's box, an array 80.
  package static let bytesPerLevel = 192

  /// The top-level parameters so far.
  package private(set) var values: [String: ParameterValue] = [:]
  private var pairCount = 0
  /// Levels of all names so far, at least one for each.
  package private(set) var levelCount = 0

  package init() {}

  /// The parameters of a query string (without its `?`), as rack 3's `parse_nested_query` reads it. A semicolon is part
  /// of a value (WHATWG URL, "application/x-www-form-urlencoded parsing"): rack 1.5.2 split at it, and what followed was
  /// lost. Only a query that lacks a required name is read as there, if all are found so and all pieces are pairs: it
  /// would be refused otherwise, and nothing of it is lost.
  ///
  /// Throws for a broken escape, text that is not UTF-8, names that contradict each other, or more than the limits.
  package static func parse(
    query: ArraySlice<UInt8>, requiring names: [String] = []
  ) throws(ParameterError) -> [String: ParameterValue] {
    let values = try split(query, at: UInt8(ascii: "&"))
    guard names.contains(where: { values[$0] == nil }), query.contains(UInt8(ascii: ";")) else { return values }
    let pieces = query.split { "&;".utf8.contains($0) }
    guard pieces.allSatisfy({ $0.contains(UInt8(ascii: "=")) }), let other = try? split(query, at: UInt8(ascii: ";")),
      names.allSatisfy({ other[$0] != nil })
    else { return values }
    return other
  }

  /// - Parameter other: separates parameters besides `&`.
  private static func split(
    _ query: ArraySlice<UInt8>, at other: UInt8
  ) throws(ParameterError) -> [String: ParameterValue] {
    var parameters = FormParameters()
    var rest = query
    while !rest.isEmpty {
      let piece = rest.prefix { $0 != UInt8(ascii: "&") && $0 != other }
      // rack's DEFAULT_SEP = /& */n
      rest = rest[piece.endIndex...].dropFirst().drop { $0 == UInt8(ascii: " ") }
      guard !piece.isEmpty else { continue }
      do throws(ParameterError) { try parameters.add(piece) } catch {
        let offset = (error.offset ?? piece.startIndex) - query.startIndex
        throw ParameterError(
          message: error.message, detail: error.detail.map { "\(name(of: piece)) has at byte \(offset) \($0)" },
          offset: offset)
      }
    }
    return parameters.values
  }

  /// A parameter for a person. One whose name is not plain may be a text without a name, and secret.
  private static func name(of piece: ArraySlice<UInt8>) -> String {
    let name = piece.prefix { $0 != UInt8(ascii: "=") }
    let isPlain = name.allSatisfy { $0.isASCIIAlphanumeric || "_[]".utf8.contains($0) }
    guard isPlain, (1...maxShownName).contains(name.count), name.endIndex < piece.endIndex else { return "a parameter" }
    return "the parameter \"\(String(decoding: name, as: UTF8.self))\""
  }

  /// Shorter than a token or the id of a photo, which may stand in the wrong place.
  private static let maxShownName = 23

  /// The parameters of a form body: a query string that may end in a NUL, which is dropped
  /// (rack: "Fix for Safari Ajax postings that always append \0").
  package static func parse(
    body: ArraySlice<UInt8>, requiring names: [String] = []
  ) throws(ParameterError) -> [String: ParameterValue] {
    try parse(query: body.last == 0 ? body.dropLast() : body, requiring: names)
  }

  private mutating func add(_ piece: ArraySlice<UInt8>) throws(ParameterError) {
    let name = piece.prefix { $0 != UInt8(ascii: "=") }
    let text = try name.decodedFormText()
    let isPair = name.endIndex < piece.endIndex
    try add(isPair ? .string(piece[(name.endIndex + 1)...].decodedFormText()) : .null, named: text)
  }

  /// Puts `value` where `name` says. Of two equal names the last wins. A name with only brackets is ignored.
  ///
  /// Throws if another name made the same parameter something else, or if the limits are exceeded.
  package mutating func add(_ value: ParameterValue, named name: String) throws(ParameterError) {
    pairCount += 1
    guard pairCount <= Self.maxPairs else {
      throw ParameterError(message: "Too many parameters: send at most \(Self.maxPairs).")
    }
    _ = try Self.insert(value, named: Array(name.utf8)[...], into: &values, depth: 0, levels: &levelCount)
  }

  /// False if the name has no key, where Ruby's `normalize_params` returned nil.
  private static func insert(
    _ value: ParameterValue, named name: ArraySlice<UInt8>, into members: inout [String: ParameterValue], depth: Int,
    levels: inout Int
  ) throws(ParameterError) -> Bool {
    guard depth <= maxDepth else {
      throw ParameterError(message: "A parameter name is nested too deep: use at most \(maxDepth) levels.")
    }
    levels += 1
    guard levels <= maxLevels else {
      throw ParameterError(message: "The parameters are nested too deep: use at most \(maxLevels) levels in all.")
    }
    guard let (key, rest) = split(name) else { return false }
    if rest.isEmpty {
      members[key] = value
    } else if rest.starts(with: "[]".utf8) {
      var elements = try takeArray(key, from: &members)
      try append(value, named: rest.dropFirst(2), to: &elements, depth: depth + 1, levels: &levels)
      members[key] = .array(elements)
    } else {
      var nested = try takeObject(key, from: &members)
      let isKept = try insert(value, named: rest, into: &nested, depth: depth + 1, levels: &levels)
      members[key] = isKept ? .object(nested) : .null
    }
    return true
  }

  /// `a[]=1` is another element. `a[][b]=1&a[][c]=2` fills one object. A member that the last object already has begins
  /// another.
  private static func append(
    _ value: ParameterValue, named name: ArraySlice<UInt8>, to elements: inout [ParameterValue], depth: Int,
    levels: inout Int
  ) throws(ParameterError) {
    if name.isEmpty {
      elements.append(value)
    } else if case .object(var last)? = elements.last, isNew(name, in: last) {
      elements.removeLast()
      _ = try insert(value, named: name, into: &last, depth: depth, levels: &levels)
      elements.append(.object(last))
    } else {
      var object: [String: ParameterValue] = [:]
      let isKept = try insert(value, named: name, into: &object, depth: depth, levels: &levels)
      elements.append(isKept ? .object(object) : .null)
    }
  }

  /// The first key of a name such as `a[b][]`, and what follows it; nil if there is no key.
  private static func split(_ name: ArraySlice<UInt8>) -> (key: String, rest: ArraySlice<UInt8>)? {
    // name =~ %r(\A[\[\]]*([^\[\]]+)\]*)
    let trimmed = name.drop(while: isBracket)
    let key = trimmed.prefix { !isBracket($0) }
    guard !key.isEmpty else { return nil }
    return (String(parameterName: key), trimmed[key.endIndex...].drop { $0 == UInt8(ascii: "]") })
  }

  private static func isBracket(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
  }

  /// Whether `members` has no member of this name. A name of several levels is never there.
  private static func isNew(_ name: ArraySlice<UInt8>, in members: [String: ParameterValue]) -> Bool {
    guard let (key, rest) = split(name), rest.isEmpty else { return true }
    return members[key] == nil
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
