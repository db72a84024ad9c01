import Glibc
import Platform

/// A socket of this process, as a .socket unit of systemd has it.
final class ListeningSocket: Sendable {
  let descriptor: Int32
  let port: Int

  /// - Parameter listens: false for a socket that is only bound.
  init(listens: Bool = true) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    guard isBound, !listens || listen(descriptor, SOMAXCONN) == 0 else { throw SystemError("bind") }
  }

  deinit {
    close(descriptor)
  }
}
