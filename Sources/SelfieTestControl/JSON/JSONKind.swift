import Cryptography
import HTTPMessages
import SelfieAPI

/// How a member's value is read, checked and written.
struct JSONKind<Value>: Sendable {
  /// Nil when the member is absent or null.
  let read: @Sendable (JSONMembers, _ name: String) throws -> Value?
  let write: @Sendable (inout JSONWriter, StaticString, Value?) -> Void
  /// The end of a sentence about an invalid value, which begins with its place; nil for a valid one.
  var problem: @Sendable (Value) -> String? = { _ in nil }
  /// The end of the sentence about a member that must be there.
  var missing = "is missing"
}

extension JSONKind {
  func checked(_ problem: @escaping @Sendable (Value) -> String?) -> JSONKind {
    JSONKind(read: read, write: write, problem: problem, missing: missing)
  }
}

extension JSONKind<String> {
  /// A text that is checked elsewhere.
  static var any: JSONKind {
    JSONKind(read: { try $0.text($1) }, write: { $0.member($1, $2) }, missing: "is missing; it must be a string")
  }

  /// A text that fits a column of the database.
  static var text: JSONKind { any.checked { text in Validation.problem(ofText: text).map { "\($0)." } } }

  static var email: JSONKind {
    any.checked { email in
      if let problem = Validation.problem(ofText: email) { return "\(problem)." }
      return Validation.isEmail(email) ? nil : "is invalid: signup would refuse \"\(email)\" too."
    }
  }

  static var passwordHash: JSONKind {
    any.checked { PasswordHash.isHash($0) ? nil : "is not a bcrypt hash. POST /__admin/seed accepts plain passwords." }
  }

  static var randomID: JSONKind {
    any.checked { Photo.isID($0.utf8) ? nil : "must have \(Photo.idLength) letters from a to z and A to Z." }
  }

  /// A type that the server can give to a photo. An empty one stands for the one that it would give.
  static var contentType: JSONKind {
    any.checked { name in
      let (start, letters) = ("image/", UInt8(ascii: "a")...UInt8(ascii: "z"))
      let subtype = name.utf8.dropFirst(start.utf8.count)
      // No type of a photo has a plus sign. `image/svg+xml` could contain scripts.
      let isImage = name.hasPrefix(start) && !subtype.isEmpty && subtype.allSatisfy(letters.contains)
      return isImage || name.isEmpty || name == ContentType.unknown.name
        ? nil : "is not a type that the server finds in photos; leave it out to have it found."
    }
  }
}

extension JSONKind<Int64> {
  /// Is written as the closest time that can be read.
  static var instant: JSONKind {
    let range = TimeText.instants
    return JSONKind(
      read: { try $0.instant($1) },
      write: { $0.member($1, time: $2.map { min(max($0, range.lowerBound), range.upperBound) }) },
      problem: { range.contains($0) ? nil : "is not from 1970 to 9999." })
  }

  /// The expiry of a token, which may be later than the last time that can be written.
  static var expiry: JSONKind { JSONKind(read: instant.read, write: instant.write) }

  private static func number(readFrom least: Int64, from checked: Int64, to most: Int64) -> JSONKind {
    JSONKind(
      read: { try $0.integer($1, in: least...Int64.max) }, write: { $0.member($1, $2) },
      problem: { (checked...most).contains($0) ? nil : "is not from \(checked) to \(most)." },
      missing: "is missing; it must be a number")
  }

  static var id: JSONKind { number(readFrom: 1, from: 1, to: RequestLimits.maxKeptID) }
  /// 0 for a record that is to get the next id.
  static var newID: JSONKind { number(readFrom: 1, from: 0, to: RequestLimits.maxKeptID) }
  /// 0 where there has been no record.
  static var lastID: JSONKind { number(readFrom: 0, from: 0, to: RequestLimits.maxKeptID) }
  /// -1 for any number.
  static var count: JSONKind { number(readFrom: 0, from: -1, to: .max) }
}

extension JSONKind<[UInt8]> {
  static var hex: JSONKind { JSONKind(read: { try $0.hex($1) }, write: { $0.member($1, $2.map(Digest.hex)) }) }

  static var base64: JSONKind {
    JSONKind(read: { try $0.base64($1) }, write: { $0.member($1, $2.map(Base64.encode)) })
  }

  private static func hex(_ isRight: @escaping @Sendable ([UInt8]) -> Bool) -> JSONKind {
    hex.checked { isRight($0) ? nil : "is not a SHA-256, which has \(SHA256.byteCount) bytes." }
  }

  static var digest: JSONKind { hex { $0.count == SHA256.byteCount } }
  static var digestOrNone: JSONKind { hex { $0.isEmpty || $0.count == SHA256.byteCount } }
}
