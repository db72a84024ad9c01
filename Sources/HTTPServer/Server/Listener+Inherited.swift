import Glibc

extension Listener {
  /// Takes over a socket that another process has opened and keeps open. It listens already, and still does when this
  /// server has stopped: clients that connect then wait for the next server.
  public convenience init(inheriting descriptor: Int32) throws(InheritedSocketError) {
    guard fcntl(descriptor, F_GETFD) >= 0 else { throw .notOpen }
    guard Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
      [AF_INET, AF_INET6].contains(Self.option(SO_DOMAIN, of: descriptor))
    else { throw .notTCP }
    guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1 else { throw .notListening }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0 else { throw .notOpen }
    self.init(
      owning: descriptor, host: Self.localHost(of: descriptor), port: Self.port(of: descriptor) ?? 0, isShared: true)
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}

/// Why a descriptor is of no use to a server.
public enum InheritedSocketError: Error, CustomStringConvertible {
  case notOpen
  case notTCP
  case notListening

  public var description: String {
    switch self {
    case .notOpen: "is not open"
    case .notTCP: "is no TCP socket"
    case .notListening: "does not listen"
    }
  }
}
