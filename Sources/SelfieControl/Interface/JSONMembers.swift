import HTTPMessages

/// The members of a JSON object, asked for by name; what is wrong with one is said with the way to it.
struct JSONMembers {
  private let members: [String: ParameterValue]
  /// The way to this object from the outermost, such as `users[0]`; empty for that itself.
  let place: String

  init(_ members: [String: ParameterValue], at place: String) {
    self.members = members
    self.place = place
  }

  var isEmpty: Bool { members.isEmpty }

  /// Of members that may have any name.
  var names: [String] { members.keys.sorted() }

  /// Refuses members of other names: what a test has misspelt must not pass unseen.
  func allow(_ names: String...) throws {
    try allow(names)
  }

  /// Refuses members of other names.
  func allow(_ names: [String]) throws {
    let unknown = members.keys.filter { !names.contains($0) }.sorted()
    guard unknown.isEmpty else {
      throw ControlError.badRequest(
        "There is no \(unknown.map(way).joined(separator: ", ")) here. What can be given: "
          + names.joined(separator: ", ") + ".")
    }
  }

  func has(_ name: String) -> Bool { value(name) != nil }

  /// Nil when it is absent or null.
  func text(_ name: String) throws -> String? {
    switch value(name) {
    case nil: nil
    case .string(let text)?: text
    default: throw wrong(name, "must be a string")
    }
  }

  func requiredText(_ name: String) throws -> String {
    guard let text = try text(name) else { throw wrong(name, "is missing; it must be a string") }
    return text
  }

  /// A whole number; of a query, as text.
  func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
    let text: String
    switch value(name) {
    case nil: return nil
    case .number(let number)?: text = number
    case .string(let number)?: text = number
    default: throw wrong(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    guard let number = Int64(text), range.contains(number) else {
      throw wrong(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
    guard has(name) else { return nil }
    guard case .number(let text)? = value(name), let number = Double(text), range.contains(number) else {
      throw wrong(name, "must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func boolean(_ name: String) throws -> Bool? {
    switch value(name) {
    case nil: nil
    case .bool(let value)?: value
    default: throw wrong(name, "must be true or false")
    }
  }

  /// A duration in milliseconds, written as `TimeText` has it.
  func duration(_ name: String) throws -> Int64? {
    let duration: Int64?
    switch value(name) {
    case nil: return nil
    case .string(let text)?: duration = TimeText.duration(text)
    case .number(let text)?: duration = TimeText.duration("\(text)s")
    default: duration = nil
    }
    guard let duration else {
      throw wrong(name, "must be a duration such as \"250ms\", \"30s\", \"15m\", \"25h\", \"2d\"")
    }
    return duration
  }

  /// An instant in unix milliseconds.
  func instant(_ name: String) throws -> Int64? {
    guard let text = try text(name) else { return nil }
    guard let instant = TimeText.instant(text) else {
      throw wrong(name, "must be an instant such as \"2026-01-01T00:00:00Z\"")
    }
    return instant
  }

  func object(_ name: String) throws -> JSONMembers? {
    switch value(name) {
    case nil: nil
    case .object(let members)?: JSONMembers(members, at: way(name))
    default: throw wrong(name, "must be an object")
    }
  }

  func array(_ name: String) throws -> [ParameterValue]? {
    switch value(name) {
    case nil: nil
    case .array(let elements)?: elements
    default: throw wrong(name, "must be a list")
    }
  }

  func objects(_ name: String) throws -> [JSONMembers]? {
    try array(name)?.enumerated().map { index, element in
      guard case .object(let members) = element else { throw wrong("\(name)[\(index)]", "must be an object") }
      return JSONMembers(members, at: way("\(name)[\(index)]"))
    }
  }

  /// Whatever stands there; nil when it is absent or null.
  func value(_ name: String) -> ParameterValue? {
    switch members[name] {
    case nil, .null?: nil
    case let value?: value
    }
  }

  /// - Parameter what: what it must be, without a full stop.
  func wrong(_ name: String, _ what: String) -> ControlError {
    .badRequest("\(way(name)) \(what).")
  }

  /// The way to a member from the outermost object.
  func way(_ name: String) -> String {
    place.isEmpty ? name : "\(place).\(name)"
  }
}
