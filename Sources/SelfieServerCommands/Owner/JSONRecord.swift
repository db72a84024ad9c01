import HTTPMessages

/// A JSON object that the server has sent.
struct JSONRecord {
  private let members: [String: ParameterValue]

  /// - Throws: `ParameterError` if it is no JSON.
  init(_ bytes: [UInt8]) throws {
    self.init(try JSONReader.read(bytes))
  }

  private init(_ value: ParameterValue) {
    if case .object(let members) = value { self.members = members } else { members = [:] }
  }

  /// The objects of an array.
  static func list(_ bytes: [UInt8]) throws -> [JSONRecord] {
    guard case .array(let elements) = try JSONReader.read(bytes) else { return [] }
    return elements.map(JSONRecord.init)
  }

  /// Nil for null, and for a member that an older or a newer server does not send.
  func text(_ name: String) -> String? {
    if case .string(let text)? = members[name] { text } else { nil }
  }

  func number(_ name: String) -> Int64? {
    if case .number(let text)? = members[name] { Int64(text) } else { nil }
  }

  func isTrue(_ name: String) -> Bool { members[name] == .bool(true) }
}
