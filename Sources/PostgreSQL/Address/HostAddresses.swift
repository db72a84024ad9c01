import Glibc

/// The addresses of a database's hosts, in the form of libpq's `hostaddr`.
///
/// libpq itself would look the names up on the thread that connects, which blocks it for as long as that takes.
public struct HostAddresses: Sendable, Equatable {
  private let hosts: [String]
  private let addresses: [String]
  private let ports: [String]

  /// Looks the names up, which may block. A socket's folder, or an address, needs no look-up; nil if nothing does.
  public init?(of url: DatabaseURL) {
    let parameters = url.parameters
    guard url.hasHostNames, let host = parameters["host"] else { return nil }
    let names = host.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let given = (parameters["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    var (hosts, addresses, ports): ([String], [String], [String]) = ([], [], [])
    for (index, name) in names.enumerated() {
      for address in Self.lookUp(name) {
        hosts.append(name)
        addresses.append(address)
        ports.append(given.count == names.count ? given[index] : given.first ?? "")
      }
    }
    // libpq then says which name it cannot find.
    guard !addresses.isEmpty else { return nil }
    (self.hosts, self.addresses, self.ports) = (hosts, addresses, ports)
  }

  /// Each address is a host of its own for libpq, with the name that its certificate must have.
  func added(to parameters: [String: String]) -> [String: String] {
    let own = [
      "host": hosts.joined(separator: ","), "hostaddr": addresses.joined(separator: ","),
      "port": ports.joined(separator: ","),
    ]
    return parameters.merging(own) { $1 }
  }

  private static func lookUp(_ name: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    var found: [String] = []
    var next = first
    while let info = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let code = getnameinfo(info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      if code == 0 { found.append(String(decoding: bytes, as: UTF8.self)) }
      next = info.ai_next
    }
    return found
  }
}
