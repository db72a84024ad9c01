import Cryptography
import HTTPMessages
import Platform
import SelfieTestDocuments

/// The members of a JSON object by name. An error about a member contains the path to it.
struct JSONMembers {
  private let members: [String: ParameterValue]
  /// The path to this object from the outermost object, such as `users[0]`; empty for the outermost.
  let place: String

  init(_ members: [String: ParameterValue], at place: String = "") {
    self.members = members
    self.place = place
  }

  /// Throws when there are members of other names, so that a misspelt name in a test does not go unnoticed.
  func allow(_ names: [String]) throws(ControlError) {
    let unknown = members.keys.filter { !names.contains($0) }.sorted()
    guard unknown.isEmpty else {
      throw .invalid(
        "There is no \(unknown.map(path).joined(separator: ", ")) here. Possible members: "
          + names.joined(separator: ", ") + ".")
    }
  }

  /// Nil when the member is absent or null.
  func value(_ name: String) -> ParameterValue? {
    members[name].flatMap { $0 == .null ? nil : $0 }
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

  /// A whole number, which may be text, as it is in a query.
  func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
    try value(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
      switch value {
      case .number(let text), .string(let text): Int64(text).flatMap { range.contains($0) ? $0 : nil }
      default: nil
      }
    }
  }

  /// The milliseconds of a duration.
  func duration(_ name: String) throws -> Int64? {
    try value(name, "must be a duration such as \"250ms\", \"30s\", \"15m\", \"25h\", \"2d\"") { value in
      switch value {
      case .string(let text): TestDuration(text)?.milliseconds
      case .number(let text): TestDuration("\(text)s")?.milliseconds
      default: nil
      }
    }
  }

  func object(_ name: String, _ expected: String = "must be an object") throws -> JSONMembers? {
    try value(name, expected) { object($0, at: name) }
  }

  /// Nil when the member is absent or null.
  func array<Element>(_ name: String, _ element: (ParameterValue, _ name: String) throws -> Element) throws
    -> [Element]?
  {
    try value(name, "must be a list") { if case .array(let elements) = $0 { elements } else { nil } }?
      .enumerated().map { try element($1, "\(name)[\($0)]") }
  }

  /// The texts of an object whose members may have any name.
  ///
  /// - Parameters: as of `value`.
  func texts(_ expected: String, _ convert: (ParameterValue) -> String?) throws -> [String: String] {
    try Dictionary(
      uniqueKeysWithValues: members.sorted { $0.key < $1.key }.map { name, value in
        guard let text = convert(value) else { throw wrong(name, expected) }
        return (name, text)
      })
  }

  /// Nil for a value that is no object.
  func object(_ value: ParameterValue, at name: String) -> JSONMembers? {
    guard case .object(let members) = value else { return nil }
    return JSONMembers(members, at: path(to: name))
  }

  /// - Parameter what: what the member must be, without a full stop.
  func wrong(_ name: String, _ what: String) -> ControlError { .invalid("\(path(to: name)) \(what).") }

  /// The path to a member from the outermost object.
  func path(to name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
}
