import Cryptography
import HTTPMessages
import Platform
import Synchronization

/// Ids of requests, for the field X-Request-Id and the log.
final class RequestIDs: Sendable {
  private let prefix = RandomSource.system.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  private let count = Atomic<UInt64>(0)

  /// The client's own id, as far as Rails would accept it, or a new one.
  func id(for request: Request) -> [UInt8] {
    guard let given = request.head.fields[Self.fieldName] else { return next() }
    let kept = given.lazy.filter { $0.isASCIIAlphanumeric || "_-".utf8.contains($0) }.prefix(Self.maxCharacters)
    return kept.isEmpty ? next() : Array(kept)
  }

  /// A new id: 32 hexadecimal digits. The first half is the same for all ids of a process.
  func next() -> [UInt8] {
    Hex.encode(prefix, count.add(1, ordering: .relaxed).newValue)
  }

  private static let fieldName = FieldName("x-request-id")
  private static let maxCharacters = 255
}
