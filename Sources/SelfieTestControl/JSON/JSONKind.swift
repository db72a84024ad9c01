import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

/// How a member's value is read, checked and written.
struct JSONKind<Value>: Sendable {
  /// Nil when the member is absent or null.
  let read: @Sendable (JSONMembers, _ name: String) throws -> Value?
  let write: @Sendable (inout JSONWriter, Value) -> Void
  /// The end of the sentence about a member that must be there.
  var missing = "is missing"
  /// Adds what is wrong with a value.
  var check: @Sendable (Value, _ place: String, inout Problems) -> Void = { _, _, _ in }
}

extension JSONKind {
  /// Checks a value further.
  func checked(_ more: @escaping @Sendable (Value, _ place: String, inout Problems) -> Void) -> JSONKind {
    JSONKind(read: read, write: write, missing: missing) { value, place, problems in
      check(value, place, &problems)
      more(value, place, &problems)
    }
  }

  /// - Parameters:
  ///   - separator: stands between the place of an invalid value and its problem.
  ///   - problem: nil for a valid value.
  func checked(_ separator: String = " ", _ problem: @escaping @Sendable (Value) -> String?) -> JSONKind {
    checked { value, place, problems in
      if let problem = problem(value) { problems.add("\(place)\(separator)\(problem)") }
    }
  }
}

extension JSONKind<String> {
  /// A text that is checked elsewhere.
  static var any: JSONKind {
    JSONKind(read: { try $0.text($1) }, write: { $0.string($1) }, missing: "is missing; it must be a string")
  }
}

extension JSONKind where Value: FixedWidthInteger & Sendable {
  /// - Parameter least: the least number that JSON may have. A record may have a lower one in place of none.
  static func number(
    _ range: ClosedRange<Value>, readFrom least: Value? = nil, missing: String = "is missing; it must be a number"
  ) -> JSONKind {
    let read = Int64(clamping: least ?? range.lowerBound)...Int64(clamping: range.upperBound)
    return JSONKind(
      read: { try $0.integer($1, in: read).map { Value($0) } }, write: { $0.written(Array("\($1)".utf8)) },
      missing: missing
    ).checked { range.contains($0) ? nil : "must be a whole number from \(range.lowerBound) to \(range.upperBound)." }
  }
}

extension JSONKind where Value: JSONRecord {
  /// - Parameter expected: what another value must be, without a full stop.
  static func record(_ expected: String = "must be an object") -> JSONKind {
    JSONKind(
      read: { try $0.object($1, expected).map(Value.init) },
      write: { json, record in json.object { record.writeMembers(to: &$0) } }
    ).checked { $0.check($1, &$2) }
  }
}
