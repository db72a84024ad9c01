import Cryptography
import HTTPMessages
import Platform
import Synchronization

/// Ids of requests, for the field X-Request-Id and the log, and of the traces that they belong to. `RequestContext` in
/// HTTPMessages carries both to the log.
final class RequestIDs: Sendable {
  private let prefix = RandomSource.system.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  private let count = Atomic<UInt64>(0)

  /// The client's own id, as far as Rails would accept it, or a new one.
  func id(for request: Request) -> [UInt8] {
    guard let given = request.head.fields[Self.fieldName] else { return next() }
    let kept = given.prefix(Self.maxBytes).lazy.filter { $0.isASCIIAlphanumeric || "_-".utf8.contains($0) }.prefix(
      Self.maxCharacters)
    return kept.isEmpty ? next() : Array(kept)
  }

  /// A new id: 32 hexadecimal digits. The first half is the same for all ids of a process.
  func next() -> [UInt8] {
    Hex.encode(prefix, count.add(1, ordering: .relaxed).newValue)
  }

  /// An id as the log has it: of a long one the beginning, so that requests of a client cannot fill the disk with it.
  static func logged(_ id: [UInt8]) -> [UInt8] {
    id.count > maxLoggedBytes ? Array(id.prefix(maxLoggedBytes)) + "…".utf8 : id
  }

  /// Twice as long as one that the server makes.
  private static let maxLoggedBytes = 64
  private static let fieldName = FieldName("x-request-id")
  private static let maxCharacters = 255
  /// What follows these is not looked at.
  private static let maxBytes = 1024
}

extension Request {
  /// The id of the trace of which a client or a proxy says that the request is a part: 32 hexadecimal digits. Empty unless
  /// there is one field `traceparent` and it is valid (W3C Trace Context §3.2):
  /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
  var traceID: [UInt8] {
    guard let field = head.fields[.traceParent], head.fields.count(of: .traceParent) == 1 else { return [] }
    return Array(Self.traceID(in: field))
  }

  private static func traceID(in field: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let (hyphen, length) = (UInt8(ascii: "-"), 55)
    // Later versions may have more after the flags.
    guard field.count >= length, field.count == length || field.dropFirst(length).first == hyphen else { return [] }
    let parts = field.prefix(length).split(separator: hyphen, omittingEmptySubsequences: false)
    guard parts.map(\.count) == [2, 32, 16, 2], parts.allSatisfy({ $0.allSatisfy(isLowercaseHex) }) else { return [] }
    let (version, traceID, parentID) = (parts[0], parts[1], parts[2])
    guard !version.elementsEqual("ff".utf8), field.count == length || !version.elementsEqual("00".utf8),
      !isZero(traceID), !isZero(parentID)
    else { return [] }
    return traceID
  }

  private static func isLowercaseHex(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func isZero(_ id: ArraySlice<UInt8>) -> Bool { id.allSatisfy { $0 == UInt8(ascii: "0") } }
}

extension FieldName {
  fileprivate static let traceParent = FieldName("traceparent")
}
