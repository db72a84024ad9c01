import HTTPMessages
import Platform

/// The sender of a request, as far as the server can tell. It is found out once for each request. `ForwardedHops` reads
/// the proxies' fields, and Authentication.swift finds the user.
package struct Client: Sendable {
  /// Clients that a limit counts as one.
  struct Group: Hashable, Sendable {
    /// Whether it is an IPv6 network of 48 bits, as providers give them to a company, or all the clients that a proxy
    /// hides. Otherwise it is an IPv4 address, or an IPv6 network of 64 bits, since a client can use all of its addresses.
    let isSite: Bool
    fileprivate let address: ClientAddress
    fileprivate var identifier: String?
  }

  /// From the narrowest to the widest. Empty for this machine itself, and if the address is not known.
  let groups: [Group]
  /// For the log; nil if it is the peer's, or is hidden.
  let address: String?

  private init(groups: [Group], address: String? = nil) {
    self.groups = groups
    self.address = address
  }

  /// The client before the trusted proxies: the first hop, seen from the server, that is not a trusted proxy.
  init(of request: Request, trusting proxies: TrustedProxies) {
    guard let peer = ClientAddress(request.peer) else {
      self.init(groups: [])
      return
    }
    var nearest = peer
    var hops = proxies.contains(peer) ? ForwardedHops(of: request.head) : nil
    while proxies.contains(nearest), let hop = hops?.next() {
      switch hop {
      case .address(let address): nearest = address
      case .hidden(let name):
        self.init(groups: Self.groups(hiddenBy: nearest, as: name))
        return
      }
    }
    self.init(groups: Self.groups(of: nearest), address: nearest == peer ? nil : nearest.description)
  }

  /// The client's flow. It is that of the widest group, so that a client with many networks gains nothing. Clients whose
  /// address is not known take turns by user, and are one client where no user is known either.
  func flow(kind: Int = 0, orOf user: (some Hashable)? = Int64?.none) -> Flow {
    Flow(kind: kind, client: groups.last?.hashValue ?? user?.hashValue ?? 0)
  }

  /// The owner's own tests come from this machine, and so do the clients behind a proxy that the owner has not named:
  /// counted as one address, any of them could lock out all the others.
  static func groups(of address: ClientAddress) -> [Group] {
    if address.isLoopback { return [] }
    if address.isVersion4 { return [Group(isSite: false, address: address)] }
    return [
      Group(isSite: false, address: address.prefix(bits: 64)), Group(isSite: true, address: address.prefix(bits: 48)),
    ]
  }

  /// A trusted proxy gives the client a name instead of an address, or nothing. The name may be another one for each
  /// request, so all that the proxy hides are also counted together.
  private static func groups(hiddenBy proxy: ClientAddress, as name: String?) -> [Group] {
    let all = Group(isSite: true, address: proxy, identifier: "")
    return name.map { [Group(isSite: false, address: proxy, identifier: $0), all] } ?? [all]
  }
}
