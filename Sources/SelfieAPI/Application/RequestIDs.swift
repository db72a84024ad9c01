import Cryptography
import Glibc
import HTTPMessages
import Platform
import Synchronization

/// Ids of requests, for the field X-Request-Id and the log.
final class RequestIDs: Sendable {
  private let prefix: UInt64
  private let count = Atomic<UInt64>(0)

  init() {
    prefix = RandomSource.system.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The id that the client has given, as far as Rails would take it over, or a new one.
  func id(for request: Request) -> [UInt8] {
    guard let given = request.head.fields[Self.fieldName] else { return next() }
    let kept = given.lazy.filter(Self.isKept).prefix(Self.mostCharacters)
    return kept.isEmpty ? next() : Array(kept)
  }

  /// A new id: 32 hexadecimal digits, the first half of them this process's own.
  func next() -> [UInt8] {
    HexDigits.of(prefix, count.add(1, ordering: .relaxed).newValue)
  }

  private static let fieldName = FieldName("x-request-id")
  private static let mostCharacters = 255

  private static func isKept(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// How long something took, for X-Runtime.
struct Stopwatch {
  private let start: UInt64

  init() {
    start = Self.nanoseconds
  }

  /// Seconds since the start, with six fraction digits.
  var seconds: [UInt8] {
    let microseconds = (Self.nanoseconds &- start) / 1000
    var text = ByteBuffer(capacity: 16)
    text.append(decimal: microseconds / 1_000_000)
    text.append(UInt8(ascii: "."))
    text.append(decimal: microseconds % 1_000_000, width: 6)
    return text.bytes
  }

  /// Milliseconds since some instant, the same for all.
  static var uptimeMilliseconds: Int64 { Int64(clamping: nanoseconds / 1_000_000) }

  private static var nanoseconds: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(clamping: now.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: now.tv_nsec)
  }
}
