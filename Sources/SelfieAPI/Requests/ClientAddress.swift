import Glibc

/// An IP address, of version 4 or 6. `Client` decides which addresses count as one client.
struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
  /// The bits of an IPv6 address, the most significant ones in `high`. An IPv4 address is mapped to one (RFC 4291
  /// §2.5.5.2), so that sockets of both families give the same address.
  private let high: UInt64
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads an address in its usual text form; nil for anything else.
  init?(_ text: some StringProtocol) {
    var version6 = in6_addr()
    if inet_pton(AF_INET6, String(text), &version6) == 1 {
      let (high, low) = withUnsafeBytes(of: &version6) { bytes in
        (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      }
      self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
      if self.high == Self.translatedHigh, self.low >> 32 == 0 { self.init(version4: UInt32(self.low)) }
      return
    }
    var version4 = in_addr()
    guard inet_pton(AF_INET, String(text), &version4) == 1 else { return nil }
    self.init(version4: UInt32(bigEndian: version4.s_addr))
  }

  private init(version4: UInt32) {
    self.init(high: 0, low: Self.mappedLow << 32 | UInt64(version4))
  }

  /// Its usual text form (RFC 5952).
  var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    if isVersion4 {
      var address = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    } else {
      var address = (high.bigEndian, low.bigEndian)
      inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  var isVersion4: Bool { high == 0 && low >> 32 == Self.mappedLow }

  /// Whether it is an address of this machine: 127.0.0.0/8 or ::1.
  var isLoopback: Bool {
    high == 0 && (low == 1 || low >> 24 == Self.mappedLow << 8 | 127)
  }

  /// The address with all bits after the first `count` cleared.
  func prefix(bits count: Int) -> ClientAddress {
    ClientAddress(high: high & Self.mask(count), low: low & Self.mask(count - 64))
  }

  /// The bits before an IPv4 address.
  static let mappedBits = 96
  private static let mappedLow: UInt64 = 0xffff
  /// 64:ff9b::/96, by which IPv4 clients reach a network that has IPv6 only (RFC 6052 §2.1).
  private static let translatedHigh: UInt64 = 0x0064_ff9b << 32

  /// A mask of `count` bits, or of none or all if `count` is out of range.
  private static func mask(_ count: Int) -> UInt64 {
    count <= 0 ? 0 : ~0 << UInt64(max(0, 64 - count))
  }
}
