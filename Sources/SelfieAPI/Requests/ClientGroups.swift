extension Client {
  /// Clients that a limit counts as one.
  struct Group: Hashable, Sendable {
    /// Whether it is an IPv6 network of 48 bits, as providers give them to a company, or all the clients that a proxy
    /// hides. Otherwise it is an IPv4 address, or an IPv6 network of 64 bits, since a client can use all of its addresses.
    let isSite: Bool
    fileprivate let address: ClientAddress
    fileprivate var identifier: String?
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
  init(hiddenBy proxy: ClientAddress, as name: String?) {
    let all = Group(isSite: true, address: proxy, identifier: "")
    groups = name.map { [Group(isSite: false, address: proxy, identifier: $0), all] } ?? [all]
  }
}
