import HTTPMessages

/// The sender of a request, as far as the server can tell.
struct Client: Hashable, Sendable {
  /// Clients that a limit counts as one.
  struct Group: Hashable, Sendable {
    /// Whether it is an IPv6 network of 48 bits, as providers give them to a company, or all the clients that a proxy
    /// hides. Otherwise it is an IPv4 address, or an IPv6 network of 64 bits, since a client can use all of its addresses.
    let isSite: Bool
    fileprivate let address: ClientAddress
    fileprivate var identifier: String?
  }

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

  /// The owner's own tests come from this machine, and so do the clients behind a proxy that the owner has not named:
  /// counted as one address, any of them could lock out all the others.
  init(_ address: ClientAddress) {
    if address.isLoopback {
      groups = []
    } else if address.isVersion4 {
      groups = [Group(isSite: false, address: address)]
    } else {
      groups = [
        Group(isSite: false, address: address.prefix(bits: 64)),
        Group(isSite: true, address: address.prefix(bits: 48)),
      ]
    }
  }

  /// A client that a trusted proxy gives a name instead of an address, or nothing. The name may be another one for each
  /// request, so all that the proxy hides are also counted together.
  private init(hiddenBy proxy: ClientAddress, as name: String?) {
    let all = Group(isSite: true, address: proxy, identifier: "")
    groups = name.map { [Group(isSite: false, address: proxy, identifier: $0), all] } ?? [all]
  }
}
