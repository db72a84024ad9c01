import Cryptography
import HTTPMessages
import Platform

/// The members of a JSON object by name. An error about a member contains the path to it.
struct JSONMembers {
  private let members: [String: ParameterValue]
  /// The path to this object from the outermost object, such as `users[0]`; empty for the outermost.
  let place: String
  /// The time of creation of records that are given none, in unix milliseconds.
  var now: Int64 = 0
  /// The parts of a multipart body by their names.
  typealias Parts = [String: (filename: String?, bytes: [UInt8])]
  /// The other parts of the body, which the JSON names.
  var parts: Parts = [:]

  init(_ members: [String: ParameterValue], at place: String = "") {
    self.members = members
    self.place = place
  }

  var isEmpty: Bool { members.isEmpty }

  /// Throws when there are members of other names, so that a misspelt name in a test does not go unnoticed.
  func allow(_ names: [String]) throws(ControlError) {
    let unknown = members.keys.filter { !names.contains($0) }.sorted()
    guard unknown.isEmpty else {
      throw .invalid(
        "There is no \(unknown.map(path).joined(separator: ", ")) here. Possible members: "
          + names.joined(separator: ", ") + ".")
    }
  }

  func has(_ name: String) -> Bool { value(name) != nil }

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

  /// - Parameters: as of `value`.
  func text<Value>(_ name: String, _ expected: String, _ convert: (String) -> Value?) throws -> Value? {
    try text(name).map { text in
      guard let value = convert(text) else { throw wrong(name, expected) }
      return value
    }
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
    try text(name, "must be an instant such as \"2026-01-01T00:00:00Z\"", TimeText.instant)
  }

  /// The bytes of hexadecimal digits.
  func hex(_ name: String) throws -> [UInt8]? {
    try text(name, "must have hexadecimal digits, two for each byte") { Hex.decode($0.utf8) }
  }

  /// The bytes of base64 (RFC 4648 §4), with or without line breaks and padding.
  func base64(_ name: String) throws -> [UInt8]? {
    try text(name, "must be base64: letters, digits, + and /, and = at its end") { text in
      let isBase64 = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "+/=\r\n".utf8.contains($0) }
      return isBase64 ? Base64.decodeLeniently(text.utf8) : nil
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
    var object = JSONMembers(members, at: path(to: name))
    (object.now, object.parts) = (now, parts)
    return object
  }

  /// - Parameter what: what the member must be, without a full stop.
  func wrong(_ name: String, _ what: String) -> ControlError { .invalid("\(path(to: name)) \(what).") }

  /// The path to a member from the outermost object.
  func path(to name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
}
