import HTTPMessages
import Platform

/// Why a rule is invalid, and how to fix it.
public struct FaultRuleError: Error, Equatable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension FaultRule {
  /// The limits of a rule. A delay must stay well below the two minutes that the server allows a request to take.
  enum Bounds {
    static let maxPause = Duration.seconds(60)
    static let maxBytes = 1 << 40
    static let maxPathBytes = PathPattern.maxBytes
    /// The largest head that common clients accept.
    static let maxFieldBytes = 8 * 1024
    static let maxBodyBytes = 1024 * 1024
  }

  /// Throws when the rule is invalid.
  func check() throws(FaultRuleError) {
    if let method, Method(method) == .other {
      throw FaultRuleError("method must be one that the server knows, such as GET, POST or DELETE, in capitals.")
    }
    if let path {
      guard path.first == "/" || path.first == "*", path.utf8.count <= Bounds.maxPathBytes else {
        throw FaultRuleError(
          "path must begin with / or *, as in /api/signin or /photos/*, and have at most \(Bounds.maxPathBytes) bytes.")
      }
      guard !path.contains("?") else { throw FaultRuleError("path is compared without the query: leave out the ?.") }
    }
    try Self.check(share, "share")
    if let count, count < 1 { throw FaultRuleError("count must be 1 or more.") }
    if let delay {
      try Self.check(delay.lowerBound, "delay")
      try Self.check(delay.upperBound, "delay")
    }
    switch effect {
    case .none where delay == nil: throw FaultRuleError("A rule must have an effect or a delay.")
    case .none, .drop, .malform: break
    case .stub(let stub): try stub.check()
    case .drip(let bytes, let pause):
      try Self.check(bytes, from: 1, "drip.bytes")
      try Self.check(pause, "drip.every")
    case .truncate(.bytes(let bytes)): try Self.check(bytes, from: 0, "truncate.bytes")
    case .truncate(.share(let share)): try Self.check(share, "truncate.share")
    }
  }

  private static func check(_ share: Double, _ name: String) throws(FaultRuleError) {
    guard (0...1).contains(share) else { throw FaultRuleError("\(name) must be a number from 0 to 1.") }
  }

  private static func check(_ duration: Duration, _ name: String) throws(FaultRuleError) {
    guard (.zero...Bounds.maxPause).contains(duration) else {
      throw FaultRuleError("\(name) must be a duration from 0s to 60s.")
    }
  }

  private static func check(_ bytes: Int, from least: Int, _ name: String) throws(FaultRuleError) {
    guard (least...Bounds.maxBytes).contains(bytes) else {
      throw FaultRuleError("\(name) must be a whole number of \(least) or more.")
    }
  }
}

extension FaultRule.StubResponse {
  /// The fields that the server itself writes.
  private static let serverFields: Set<String> = ["connection", "content-length", "date", "transfer-encoding"]

  fileprivate func check() throws(FaultRuleError) {
    guard (200...599).contains(status) else { throw FaultRuleError("status must be a whole number from 200 to 599.") }
    let count: Int
    switch content {
    case .message(let text), .text(let text): count = text.utf8.count
    case .json(let bytes):
      count = bytes.count
      do {
        _ = try JSONReader.read(bytes)
      } catch {
        throw FaultRuleError(
          "The JSON of a response must be JSON; anything else can be given as text. \(error.message)")
      }
    }
    guard count <= FaultRule.Bounds.maxBodyBytes else {
      throw FaultRuleError("The body of a response may have \(FaultRule.Bounds.maxBodyBytes) bytes.")
    }
    for (name, value) in fields { try Self.check(name, value) }
    guard fields.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= FaultRule.Bounds.maxFieldBytes else {
      throw FaultRuleError("The fields of a response may have \(FaultRule.Bounds.maxFieldBytes) bytes.")
    }
  }

  private static func check(_ name: String, _ value: String) throws(FaultRuleError) {
    guard !name.isEmpty, name.utf8.allSatisfy(isToken) else {
      throw FaultRuleError("fields has a name that is none: letters, digits and hyphens are taken, as in Retry-After.")
    }
    guard !serverFields.contains(name.lowercased()) else {
      throw FaultRuleError("\(name) is written by the server itself. To make it wrong, malform the response.")
    }
    guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      throw FaultRuleError("The value of \(name) must have no control characters, such as line breaks.")
    }
  }

  /// The part of `tchar` (RFC 9110 §5.6.2) that names of fields consist of.
  private static func isToken(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
