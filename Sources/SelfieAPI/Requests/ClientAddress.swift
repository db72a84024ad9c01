import Glibc
import HTTPMessages

/// The address of a client, seen through the proxies that the owner trusts.
struct ClientAddress: Sendable {
  /// Those who are counted as one: an IPv4 address, or the 64 bits of an IPv6 network, all of which
  /// a single customer of a provider has.
  struct Group: Hashable, Sendable {
    let prefix: [UInt8]
  }

  private var bytes: [UInt8]

  /// An address in its usual text form; nil for anything else.
  init?(_ text: some StringProtocol) {
    var version6 = in6_addr()
    if inet_pton(AF_INET6, String(text), &version6) == 1 {
      bytes = withUnsafeBytes(of: &version6) { Array($0) }
      return
    }
    var version4 = in_addr()
    guard inet_pton(AF_INET, String(text), &version4) == 1 else { return nil }
    // IPv4-mapped (RFC 4291 §2.5.5.2), so that a socket of either family gives the same.
    bytes = Self.mappedPrefix + withUnsafeBytes(of: &version4) { Array($0) }
  }

  /// The client of a request: the socket's other end, or, when that is a trusted proxy, the last
  /// address of X-Forwarded-For that is none.
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

  /// Whether it is this machine's own: 127.0.0.0/8 or ::1.
  var isLoopback: Bool {
    bytes.starts(with: Self.mappedPrefix + [127]) || bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// Whether the first `count` bits are the same.
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
  /// Bits before those of an IPv4 address.
  static let mappedBits = 96
}

/// The proxies whose X-Forwarded-For is believed.
public struct TrustedProxies: Sendable {
  private let networks: [(address: ClientAddress, bits: Int)]

  /// Nobody.
  public static let none = TrustedProxies(networks: [])

  private init(networks: [(ClientAddress, Int)]) {
    self.networks = networks
  }

  /// - Parameter text: addresses and networks such as `127.0.0.1, 10.0.0.0/8, fd00::/8`; nil if one is neither.
  public init?(_ text: String) {
    var networks: [(ClientAddress, Int)] = []
    for item in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
      let parts = item.split(separator: "/", omittingEmptySubsequences: false)
      guard let address = ClientAddress(parts[0]), parts.count <= 2 else { return nil }
      let offset = parts[0].contains(":") ? 0 : ClientAddress.mappedBits
      guard let bits = parts.count == 2 ? Int(parts[1]) : 128 - offset, (0...(128 - offset)).contains(bits) else {
        return nil
      }
      networks.append((address, bits + offset))
    }
    self.init(networks: networks)
  }

  func contains(_ address: ClientAddress) -> Bool {
    networks.contains { $0.address.sharesPrefix(address, bits: $0.bits) }
  }
}
