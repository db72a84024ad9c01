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

  /// Requires a value that no record before has. An id of 0 stands for the next one.
  ///
  /// - Parameter kind: of the values that are compared, such as `user` for the ids of users.
  func unique(_ kind: String) -> JSONKind {
    checked { value, place, problems in
      if value as? Int64 == 0 { return }
      let text = (value as? [UInt8]).map(Digest.hex) ?? "\(value)"
      let isFirst = problems.seen[kind, default: []].insert(ExactText(text)).inserted
      if !isFirst { problems.add("\(place): another record has \(text), too.") }
    }
  }
}

extension JSONKind<String> {
  /// A text that is checked elsewhere.
  static var any: JSONKind {
    JSONKind(read: { try $0.text($1) }, write: { $0.string($1) }, missing: "is missing; it must be a string")
  }

  /// A text that fits a column of the database.
  static var text: JSONKind { any.checked { text in Validation.problem(ofText: text).map { "\($0)." } } }

  static var email: JSONKind {
    any.checked { email in
      if let problem = Validation.problem(ofText: email) { return "\(problem)." }
      return Validation.isEmail(email) ? nil : "is invalid: signup would not take \"\(email)\" either."
    }.unique("email")
  }

  static var passwordHash: JSONKind {
    any.checked { PasswordHash.isHash($0) ? nil : "is not a bcrypt hash. POST /__admin/seed accepts plain passwords." }
  }

  static var randomID: JSONKind {
    any.checked { Photo.isID($0.utf8) ? nil : "must have \(Photo.idLength) letters from a to z and A to Z." }
      .unique("random_id")
  }

  /// The id of a post.
  static var uuid: JSONKind { text.unique("uuid") }

  /// The name of a user of Microblog.
  static var microblogName: JSONKind { any.checked(": ", MicroblogUser.problem(name:)).unique("name") }

  /// The text of a post.
  static var postText: JSONKind { any.checked(": ", Blogpost.problem(text:)) }

  /// A type that the server can give to a photo. An empty one stands for the one that it would give.
  static var contentType: JSONKind {
    any.checked { name in
      // No type of a photo has a plus sign. `image/svg+xml` could contain scripts.
      name.wholeMatch(of: /image\/[a-z-]+/) != nil || name.isEmpty || name == ContentType.unknown.name
        ? nil : "is not a type that the server finds in photos; leave it out to have it found."
    }
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

extension JSONKind<Int64> {
  /// Is written as the closest time that can be read.
  static var instant: JSONKind {
    let range = TimeText.instants
    return JSONKind(
      read: { try $0.instant($1) },
      write: { $0.string(Timestamp.text(unixMilliseconds: $1.clamped(to: range))) }
    ).checked { range.contains($0) ? nil : "is not from 1970 to 9999." }
  }

  /// The expiry of a token, which may be later than the last time that can be written.
  static var expiry: JSONKind { JSONKind(read: instant.read, write: instant.write) }

  static var id: JSONKind { number(1...RequestLimits.maxKeptID) }
  /// 0 for a record that is to get the next id.
  static var newID: JSONKind { number(0...RequestLimits.maxKeptID, readFrom: 1) }
  /// 0 where there has been no record.
  static var lastID: JSONKind { number(0...RequestLimits.maxKeptID) }
  /// -1 for any number.
  static var count: JSONKind { number(-1...Int64.max, readFrom: 0) }

  /// Requires the id of a user that comes before.
  ///
  /// - Parameter kind: of the user's id; see `unique`.
  func owner(_ kind: String = "user") -> JSONKind {
    checked { id, place, problems in
      let exists = problems.seen[kind]?.contains(ExactText("\(id)")) == true
      if !exists { problems.add("\(place) is \(id), and there is no such user.") }
    }
  }
}

extension JSONKind<[UInt8]> {
  static var hex: JSONKind { JSONKind(read: { try $0.hex($1) }, write: { $0.string(Digest.hex($1)) }) }

  static var base64: JSONKind {
    JSONKind(read: { try $0.base64($1) }, write: { $0.string(Base64.encode($1)) })
  }

  private static func hex(_ isRight: @escaping @Sendable ([UInt8]) -> Bool) -> JSONKind {
    hex.checked { isRight($0) ? nil : "is not a SHA-256, which has \(SHA256.byteCount) bytes." }
  }

  static var digest: JSONKind { hex { $0.count == SHA256.byteCount } }
  static var digestOrNone: JSONKind { hex { $0.isEmpty || $0.count == SHA256.byteCount } }
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

extension JSONKind {
  static func list<Element: JSONRecord>() -> JSONKind where Value == [Element] {
    JSONKind(
      read: { members, name in try members.array(name) { try Element($0, name: $1, in: members) } },
      write: { json, records in
        json.array(of: records) { json, record in json.object { record.writeMembers(to: &$0) } }
      }
    ).checked { records, place, problems in
      for (index, record) in records.enumerated() { record.check("\(place)[\(index)]", &problems) }
    }
  }
}
