import HTTPMessages

/// The members of a JSON object by name. An error about a member contains the path to it.
struct JSONMembers {
  private let members: [String: ParameterValue]
  /// The path to this object from the outermost object, such as `users[0]`; empty for the outermost.
  let place: String

  init(_ members: [String: ParameterValue], at place: String) {
    self.members = members
    self.place = place
  }

  var isEmpty: Bool { members.isEmpty }

  /// All names, for an object whose members may have any name.
  var names: [String] { members.keys.sorted() }

  /// Throws when there are members of other names, so that a misspelt name in a test does not go unnoticed.
  func allow(_ names: String...) throws {
    try allow(names)
  }

  func allow(_ names: [String]) throws {
    let unknown = members.keys.filter { !names.contains($0) }.sorted()
    guard unknown.isEmpty else {
      throw ControlError.badRequest(
        "There is no \(unknown.map(path).joined(separator: ", ")) here. What can be given: "
          + names.joined(separator: ", ") + ".")
    }
  }

  func has(_ name: String) -> Bool { value(name) != nil }

  /// Nil when the member is absent or null.
  func value(_ name: String) -> ParameterValue? {
    switch members[name] {
    case nil, .null?: nil
    case let value?: value
    }
  }

  /// - Parameters:
  ///   - expected: what the member must be, without a full stop.
  ///   - convert: returns nil for a value that the member must not have.
  /// - Returns: nil when the member is absent or null.
  func value<Value>(_ name: String, _ expected: String, _ convert: (ParameterValue) -> Value?) throws -> Value? {
    guard let value = value(name) else { return nil }
    guard let converted = convert(value) else { throw wrong(name, expected) }
    return converted
  }

  func text(_ name: String) throws -> String? {
    try value(name, "must be a string") { if case .string(let text) = $0 { text } else { nil } }
  }

  func requiredText(_ name: String) throws -> String {
    guard let text = try text(name) else { throw wrong(name, "is missing; it must be a string") }
    return text
  }

  /// A whole number, which may be text, as it is in a query.
  func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
    try value(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
      switch value {
      case .number(let text), .string(let text): Int64(text).flatMap { range.contains($0) ? $0 : nil }
      default: nil
      }
    }
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
    try value(name, "must be a number from \(range.lowerBound) to \(range.upperBound)") { value in
      guard case .number(let text) = value, let number = Double(text), range.contains(number) else { return nil }
      return number
    }
  }

  func boolean(_ name: String) throws -> Bool? {
    try value(name, "must be true or false") { if case .bool(let isTrue) = $0 { isTrue } else { nil } }
  }

  /// The milliseconds of a duration; see `TimeText`.
  func duration(_ name: String) throws -> Int64? {
    try value(name, "must be a duration such as \"250ms\", \"30s\", \"15m\", \"25h\", \"2d\"") { value in
      switch value {
      case .string(let text): TimeText.duration(text)
      case .number(let text): TimeText.duration("\(text)s")
      default: nil
      }
    }
  }

  /// The unix milliseconds of an instant; see `TimeText`.
  func instant(_ name: String) throws -> Int64? {
    guard let text = try text(name) else { return nil }
    guard let instant = TimeText.instant(text) else {
      throw wrong(name, "must be an instant such as \"2026-01-01T00:00:00Z\"")
    }
    return instant
  }

  func object(_ name: String, _ expected: String = "must be an object") throws -> JSONMembers? {
    try value(name, expected) { object($0, at: name) }
  }

  func array(_ name: String) throws -> [ParameterValue]? {
    try value(name, "must be a list") { if case .array(let elements) = $0 { elements } else { nil } }
  }

  func objects(_ name: String) throws -> [JSONMembers]? {
    try array(name)?.enumerated().map { index, element in
      guard let object = object(element, at: "\(name)[\(index)]") else {
        throw wrong("\(name)[\(index)]", "must be an object")
      }
      return object
    }
  }

  /// The elements of a list in which an object that has one member may be written as a text.
  ///
  /// - Parameter members: what an object can have.
  func textsOrObjects<Element>(
    _ name: String, _ members: String, text: (String) -> Element, object: (JSONMembers) throws -> Element
  ) throws -> [Element] {
    try array(name)?.enumerated().map { index, element in
      let name = "\(name)[\(index)]"
      switch element {
      case .string(let string): return text(string)
      case .object(let members): return try object(JSONMembers(members, at: path(to: name)))
      default: throw wrong(name, "must be a string, or an object with \(members)")
      }
    } ?? []
  }

  private func object(_ value: ParameterValue, at name: String) -> JSONMembers? {
    if case .object(let members) = value { JSONMembers(members, at: path(to: name)) } else { nil }
  }

  /// - Parameter what: what the member must be, without a full stop.
  func wrong(_ name: String, _ what: String) -> ControlError {
    .badRequest("\(path(to: name)) \(what).")
  }

  /// The path to a member from the outermost object.
  func path(to name: String) -> String {
    place.isEmpty ? name : "\(place).\(name)"
  }
}
