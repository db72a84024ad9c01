import Glibc

/// The connections of one event loop that have not agreed on TLS yet. HTTPConnection+Handshake.swift has the handshake
/// of one connection.
///
/// If there are too many, the oldest one of the network that has most gives way: an honest client needs a few round trips,
/// and is done before it is the oldest.
struct Handshakes {
  private var unfinished: [Int: [HTTPConnection]] = [:]
  private(set) var count = 0
  private let limits: Limits

  init(limits: Limits) {
    self.limits = limits
  }

  /// - Returns: the connection that must give way to this one.
  mutating func begin(_ connection: HTTPConnection) -> HTTPConnection? {
    unfinished[connection.network, default: []].append(connection)
    count += 1
    guard count > limits.maxHandshakes else { return nil }
    return unfinished.max { $0.value.count < $1.value.count }?.value.first
  }

  mutating func finish(_ connection: HTTPConnection) {
    guard let index = unfinished[connection.network]?.firstIndex(where: { $0 === connection }) else { return }
    unfinished[connection.network]?.remove(at: index)
    if unfinished[connection.network]?.isEmpty == true { unfinished[connection.network] = nil }
    count -= 1
  }
}

extension HTTPConnection {
  /// The IPv4 address of a peer, or its IPv6 network of 64 bits, since a client can use all of its addresses. Two
  /// networks that happen to have the same number take turns as one.
  static func network(of peer: String) -> Int {
    var address = in6_addr()
    guard inet_pton(AF_INET6, peer, &address) == 1 else { return peer.hashValue }
    return withUnsafeBytes(of: &address) { bytes in
      // IPv4 addresses that are mapped to IPv6 are all in one network of 64 bits (RFC 4291 §2.5.5.2).
      let isMapped = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255])
      return Array(isMapped ? bytes[...] : bytes.prefix(8)).hashValue
    }
  }
}
