import HTTPMessages

/// The sender of a request, as far as the server can tell.
struct Client: Hashable, Sendable {
  /// From the narrowest to the widest. Empty for this machine itself.
  let groups: [Group]

  private enum Origin {
    case address(ClientAddress)
    /// A trusted proxy tells a name instead of an address, or nothing.
    case hidden(by: ClientAddress, name: String?)
  }

  /// The client behind the trusted proxies: the first hop, seen from the server, that is not a trusted proxy.
  init?(of request: Request, trusting proxies: TrustedProxies) {
    switch Self.origin(of: request, trusting: proxies) {
    case .address(let address)?: self.init(address)
    case .hidden(let proxy, let name)?: self.init(hiddenBy: proxy, as: name)
    case nil: return nil
    }
  }

  /// The client's address, for the log; nil if it is the peer's, or is hidden.
  static func address(of request: Request, trusting proxies: TrustedProxies) -> String? {
    guard !proxies.isEmpty, case .address(let address)? = origin(of: request, trusting: proxies) else { return nil }
    return address == ClientAddress(request.peer) ? nil : address.description
  }

  /// The number by which clients take turns. It is that of the widest group, so that a client with many networks gains
  /// nothing. Clients whose address is not known take turns by user, and are one client where no user is known either.
  static func number(
    of request: Request, trusting proxies: TrustedProxies, orOf user: (some Hashable)? = Int64?.none
  ) -> Int {
    Client(of: request, trusting: proxies)?.groups.last?.hashValue ?? user?.hashValue ?? 0
  }

  private static func origin(of request: Request, trusting proxies: TrustedProxies) -> Origin? {
    guard var nearest = ClientAddress(request.peer) else { return nil }
    guard proxies.contains(nearest) else { return .address(nearest) }
    for hop in ForwardedHops(of: request.head) {
      switch hop {
      case .address(let address):
        nearest = address
        guard proxies.contains(address) else { return .address(address) }
      case .hidden(let name): return .hidden(by: nearest, name: name)
      }
    }
    return .address(nearest)
  }
}
