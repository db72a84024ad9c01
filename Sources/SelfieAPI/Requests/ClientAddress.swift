import Glibc

/// An IP address, of version 4 or 6. `Client` decides which addresses count as one client.
struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
  /// The bits of an IPv6 address. An IPv4 address is mapped to one (RFC 4291 §2.5.5.2), so that sockets of both families
  /// give the same address.
  private let bits: UInt128

  private init(bits: UInt128) { self.bits = bits }

  private init(version4: UInt32) { self.init(bits: Self.mapped << 32 | UInt128(version4)) }

  /// Reads an address in its usual text form; nil for anything else.
  init?(_ text: some StringProtocol) {
    var version6 = in6_addr()
    if inet_pton(AF_INET6, String(text), &version6) == 1 {
      let bits = UInt128(bigEndian: withUnsafeBytes(of: &version6) { $0.loadUnaligned(as: UInt128.self) })
      self.init(bits: bits)
      if bits >> 32 == Self.translated { self.init(version4: UInt32(truncatingIfNeeded: bits)) }
      return
    }
    var version4 = in_addr()
    guard inet_pton(AF_INET, String(text), &version4) == 1 else { return nil }
    self.init(version4: UInt32(bigEndian: version4.s_addr))
  }

  /// Its usual text form (RFC 5952).
  var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    if isVersion4 {
      var address = in_addr(s_addr: UInt32(truncatingIfNeeded: bits).bigEndian)
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    } else {
      var address = bits.bigEndian
      inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  var isVersion4: Bool { bits >> 32 == Self.mapped }

  /// Whether it is an address of this machine: 127.0.0.0/8 or ::1.
  var isLoopback: Bool { bits == 1 || bits >> 24 == Self.mapped << 8 | 127 }

  /// The address with all bits after the first `count` cleared.
  func prefix(bits count: Int) -> ClientAddress { ClientAddress(bits: bits & UInt128.max << (128 - count)) }

  /// The number of bits before an IPv4 address.
  static let mappedBits = 96
  /// ::ffff:0:0/96
  private static let mapped: UInt128 = 0xffff
  /// 64:ff9b::/96, by which IPv4 clients reach a network that has IPv6 only (RFC 6052 §2.1).
  private static let translated: UInt128 = 0x0064_ff9b << 64
}
