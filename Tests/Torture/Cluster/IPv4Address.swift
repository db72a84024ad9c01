import Glibc
import Platform

/// An address of this machine, for calls of sockets.
struct IPv4Address {
  /// Numeric.
  let host: String
  let port: Int

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  static func socket() -> Int32 { Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }

  /// Binds a socket to a port below those that the system hands out to connections: whoever listens there can end and
  /// come back.
  static func bind(_ descriptor: Int32, host: String) throws -> Int {
    for _ in 0..<100 {
      let address = IPv4Address(host: host, port: .random(in: 20_000..<32_000))
      if address.withPointer({ Glibc.bind(descriptor, $0, $1) }) == 0 { return address.port }
    }
    throw Violation("no port of \(host) is free")
  }

  /// A port of 127.0.0.1 that only programs of this user can bind to, by SO_REUSEPORT, as long as the socket is open.
  static func reservePort() throws -> (socket: OpenFile, port: Int) {
    let socket = OpenFile(owning: socket())
    var on: Int32 = 1
    setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEPORT, &on, socklen_t(MemoryLayout<Int32>.size))
    return (socket, try bind(socket.descriptor, host: "127.0.0.1"))
  }
}
