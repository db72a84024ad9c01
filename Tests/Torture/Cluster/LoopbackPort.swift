import Glibc
import Platform

/// A port of 127.0.0.1, for calls of sockets.
struct LoopbackPort {
  let number: Int

  func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(truncatingIfNeeded: number).bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  static func socket() -> Int32 { Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }

  /// Binds a socket to a port below those that the system hands out to connections: whoever listens there can end and
  /// come back.
  static func bind(_ descriptor: Int32) throws -> Int {
    for _ in 0..<100 {
      let port = LoopbackPort(number: .random(in: 20_000..<32_000))
      if port.withAddress({ Glibc.bind(descriptor, $0, $1) }) == 0 { return port.number }
    }
    throw Violation("no port is free")
  }

  /// A port that only programs of this user can bind to, by SO_REUSEPORT, as long as the socket is open.
  static func reservePort() throws -> (socket: OpenFile, port: Int) {
    let socket = OpenFile(owning: socket())
    var on: Int32 = 1
    setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEPORT, &on, socklen_t(MemoryLayout<Int32>.size))
    return (socket, try bind(socket.descriptor))
  }
}
