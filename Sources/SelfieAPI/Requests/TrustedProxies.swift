package import HTTPMessages

/// The proxies whose X-Forwarded-For or Forwarded the server believes. `ForwardedHops` reads the two fields.
package struct TrustedProxies: Sendable {
  private let networks: [(address: ClientAddress, bits: Int)]

  package static let none = TrustedProxies(networks: [])

  private init(networks: [(ClientAddress, Int)]) {
    self.networks = networks
  }

  /// - Parameter text: addresses and networks such as `127.0.0.1, 10.0.0.0/8, fd00::/8`.
  /// - Returns: nil if one of them is neither.
  package init?(_ text: String) {
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

  var isEmpty: Bool { networks.isEmpty }

  /// Whether the peer of a request is one of them.
  package func contains(peerOf request: Request) -> Bool {
    ClientAddress(request.peer).map(contains) ?? false
  }

  /// Whether a request has come through these proxies only after its client.
  package func containAllHops(of request: Request) -> Bool {
    var hops = ForwardedHops(of: request.head)
    while let hop = hops.next() {
      if case .address(let address) = hop, contains(address) { continue }
      return hops.next() == nil
    }
    return true
  }

  func contains(_ address: ClientAddress) -> Bool {
    networks.contains { $0.address.prefix(bits: $0.bits) == address.prefix(bits: $0.bits) }
  }
}
