import Glibc
import Platform
import TestSupport

/// A socket of this process, as a .socket unit of systemd has it.
final class ListeningSocket: Sendable {
  let descriptor: Int32
  let port: Int

  /// - Parameter listens: false for a socket that is only bound.
  init(listens: Bool = true) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let port = RawClient.bindToFreePort(descriptor)
    self.port = port ?? 0
    guard port != nil, !listens || listen(descriptor, SOMAXCONN) == 0 else { throw SystemError("bind") }
  }

  deinit {
    close(descriptor)
  }
}
