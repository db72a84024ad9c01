import Glibc

/// The addresses of a database's hosts, in the form of libpq's `hostaddr`.
///
/// libpq itself would look the names up on the thread that connects, which blocks it for as long as that takes.
public struct HostAddresses: Sendable, Equatable {
  private struct Entry: Equatable {
    let host: String
    let address: String
    let port: String
  }

  private let entries: [Entry]

  /// Looks the names up, which may block. Nil if no name has an address, or if there is none to look up, as for a
  /// socket's folder.
  public init?(of url: DatabaseURL) {
    let parameters = url.parameters
    guard url.hasHostNames, let host = parameters["host"] else { return nil }
    let names = host.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let given = (parameters["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let entries = names.enumerated().flatMap { index, name -> [Entry] in
      let port = given.count == names.count ? given[index] : given.first ?? ""
      return Self.lookUp(name).map { Entry(host: name, address: $0, port: port) }
    }
    self.init(entries)
  }

  /// Nil without any.
  private init?(_ entries: [Entry]) {
    guard !entries.isEmpty else { return nil }
    self.entries = entries
  }

  /// The same addresses, beginning with the one of this number. The first one comes behind the last.
  func rotated(by number: Int) -> HostAddresses {
    let start = Int(UInt(bitPattern: number) % UInt(entries.count))
    return HostAddresses(Array(entries[start...] + entries[..<start])) ?? self
  }

  /// Each address is a host of its own for libpq, with the name that its certificate must have.
  func added(to parameters: [String: String]) -> [String: String] {
    func list(_ part: KeyPath<Entry, String>) -> String { entries.map { $0[keyPath: part] }.joined(separator: ",") }
    let own = ["host": list(\.host), "hostaddr": list(\.address), "port": list(\.port)]
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
