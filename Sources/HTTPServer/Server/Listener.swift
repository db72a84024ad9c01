import CLinux
import Glibc
package import Platform

/// A listening socket. `Server` serves the connections that it accepts.
package final class Listener: Sendable {
  private let socket: OpenFile
  /// As it was given, or the address of a socket that was inherited.
  package let host: String
  /// The port it listens on; the one the system chose if it was given 0.
  package let port: Int
  /// Whether another process has the socket too, and goes on listening.
  let isShared: Bool

  /// Connections that the kernel completes and keeps until they are accepted.
  private static let backlog: Int32 = 1024

  /// Binds to a port of a numeric IPv4 or IPv6 address, or of a name that resolves to one. Clients cannot connect
  /// before `open`.
  ///
  /// SO_REUSEPORT is not set: a second server on the same port must fail instead of taking half of the requests.
  package init(host: String, port: Int) throws(ConfigurationError) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &found)
    guard code == 0, let address = found else {
      let reason = String(cString: gai_strerror(code))
      throw ConfigurationError(
        "\(host) is not an address of this machine: \(reason). Choose another address with HOST.")
    }
    defer { freeaddrinfo(address) }
    let info = address.pointee
    let type = info.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    socket = OpenFile(owning: Glibc.socket(info.ai_family, type, 0))
    let descriptor = socket.descriptor
    guard descriptor >= 0 else { throw ConfigurationError(host: host, port: port, SystemError("socket")) }
    var on: Int32 = 1
    // Lets a restart bind while connections of the last run are in TIME_WAIT.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0 else {
      throw ConfigurationError(host: host, port: port, SystemError("bind"))
    }
    self.host = host
    self.port = Self.localAddress(of: descriptor)?.port ?? port
    isShared = false
  }

  /// Takes over a socket that another process has opened and keeps open. It listens already, and still does when this
  /// server has stopped: clients that connect then wait for the next server.
  ///
  /// - Throws: the predicate of a sentence about the socket.
  package init(inheriting descriptor: Int32) throws(ConfigurationError) {
    guard fcntl(descriptor, F_GETFD) >= 0 else { throw ConfigurationError("is not open") }
    guard Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
      [AF_INET, AF_INET6].contains(Self.option(SO_DOMAIN, of: descriptor))
    else { throw ConfigurationError("is not a TCP socket") }
    guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1 else { throw ConfigurationError("does not listen") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0 else {
      throw ConfigurationError("is not open")
    }
    socket = OpenFile(owning: descriptor)
    (host, port) = Self.localAddress(of: descriptor) ?? ("unknown", 0)
    isShared = true
  }

  /// Begins to accept connections.
  func open() throws(ConfigurationError) {
    guard !isShared else { return }
    guard listen(descriptor, Self.backlog) == 0 else {
      throw ConfigurationError(host: host, port: port, SystemError("listen"))
    }
  }

  /// Stops listening: the kernel refuses further connections instead of queueing them. A shared socket still queues
  /// them, for the next server.
  func shut() {
    guard !isShared else { return }
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  var descriptor: Int32 { socket.descriptor }

  /// Accepts one connection; nil if none is waiting.
  ///
  /// - Throws: if no descriptors or no memory is left, or if the client was gone before it was accepted (accept(2)).
  func accept() throws(SystemError) -> (descriptor: Int32, peer: String)? {
    var address = sockaddr_storage()
    let descriptor = clinux_accept(self.descriptor, &address)
    if descriptor >= 0 { return (descriptor, Self.name(of: &address)) }
    guard errno == EAGAIN || errno == EWOULDBLOCK else { throw SystemError("accept") }
    return nil
  }

  /// The numeric address and the port that a socket is bound to.
  private static func localAddress(of descriptor: Int32) -> (host: String, port: Int)? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
    }
    guard isKnown else { return nil }
    // The port is at the same place in the addresses of both families.
    let port = withUnsafeBytes(of: &address) { $0.load(as: sockaddr_in.self).sin_port }
    return (name(of: &address), Int(UInt16(bigEndian: port)))
  }

  private static func name(of address: inout sockaddr_storage) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { name in
      let isNamed = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getnameinfo(
            $0, socklen_t(MemoryLayout<sockaddr_storage>.size), name.baseAddress, socklen_t(name.count), nil, 0,
            NI_NUMERICHOST) == 0
        }
      }
      guard isNamed, let base = name.baseAddress else { return "unknown" }
      return String(cString: base)
    }
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}

extension ConfigurationError {
  fileprivate init(host: String, port: Int, _ error: SystemError) {
    let message =
      switch error.number {
      case EADDRINUSE:
        "Port \(port) on \(host) is already in use. Stop the other program, or choose another port with PORT."
      case EADDRNOTAVAIL:
        "HOST is \(host), which is not an address of this machine. Set it to one of its own, to 0.0.0.0 for all of them, or to "
          + "127.0.0.1. Where clients reach the server is PUBLIC_URL."
      case EACCES where port < 1024:
        "Port \(port) needs a right that this process lacks, as all below 1024 do. Choose another with PORT, such as 3000, "
          + "or let a service manager or a proxy open it (Docs/HTTPS.md)."
      default: "Cannot listen on \(host), port \(port): \(error). Choose another with HOST and PORT."
      }
    self.init(message)
  }
}
