import Glibc
import HTTPMessages

/// The address of a client, seen through the proxies that the owner trusts.
struct ClientAddress: Sendable {
  /// The clients that count as one: an IPv4 address, or an IPv6 network of 64 bits, since providers give a customer all
  /// of its addresses.
  struct Group: Hashable, Sendable {
    let prefix: [UInt8]
  }

  private var bytes: [UInt8]

  /// Reads an address in its usual text form; nil for anything else.
  init?(_ text: some StringProtocol) {
    var version6 = in6_addr()
    if inet_pton(AF_INET6, String(text), &version6) == 1 {
      bytes = withUnsafeBytes(of: &version6) { Array($0) }
      return
    }
    var version4 = in_addr()
    guard inet_pton(AF_INET, String(text), &version4) == 1 else { return nil }
    // IPv4-mapped (RFC 4291 §2.5.5.2), so that sockets of both families give the same address.
    bytes = Self.mappedPrefix + withUnsafeBytes(of: &version4) { Array($0) }
  }

  /// The client of a request: the peer of the socket or, if that is a trusted proxy, the last address in X-Forwarded-For
  /// that is not a trusted proxy.
  init?(of request: Request, trusting proxies: TrustedProxies) {
    guard let peer = ClientAddress(request.peer) else { return nil }
    self = peer
    guard proxies.contains(peer) else { return }
    let forwarded = request.head.fields.all(.xForwardedFor).map { String(decoding: $0, as: UTF8.self) }
    for text in forwarded.joined(separator: ",").split(separator: ",").reversed() {
      guard let address = ClientAddress(text.filter { $0 != " " && $0 != "\t" }) else { return }
      self = address
      if !proxies.contains(address) { return }
    }
  }

  var group: Group {
    let isVersion4 = bytes.starts(with: Self.mappedPrefix)
    return Group(prefix: isVersion4 ? bytes : Array(bytes.prefix(8)))
  }

  /// Whether it is an address of this machine: 127.0.0.0/8 or ::1.
  var isLoopback: Bool {
    bytes.starts(with: Self.mappedPrefix + [127]) || bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// Whether the first `count` bits are equal.
  func sharesPrefix(_ other: ClientAddress, bits count: Int) -> Bool {
    for index in 0..<bytes.count {
      let bits = min(8, count - index * 8)
      if bits <= 0 { return true }
      let mask = UInt8(truncatingIfNeeded: 0xff00 >> bits)
      if bytes[index] & mask != other.bytes[index] & mask { return false }
    }
    return true
  }

  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
  /// The bits in front of an IPv4 address.
  static let mappedBits = 96
}
