import CLinux
import Glibc
import Platform

/// An epoll instance of the sockets of a pool, which is itself a descriptor that an event loop watches for reading
/// (epoll(7)). Threads that connect wake it.
final class SocketSet: Sendable {
  private static let wakeToken = UInt64.max
  private static let capacity = 64

  let descriptor: Int32
  private let wakeup: Int32

  init() throws(SystemError) {
    let epoll = clinux_epoll_create()
    guard epoll >= 0 else { throw SystemError("epoll_create1") }
    let wakeup = clinux_eventfd()
    guard wakeup >= 0, clinux_epoll_add_level(epoll, wakeup, Self.wakeToken) == 0 else {
      let error = SystemError("eventfd")
      close(epoll)
      close(wakeup)
      throw error
    }
    descriptor = epoll
    self.wakeup = wakeup
  }

  deinit {
    close(descriptor)
    close(wakeup)
  }

  /// Makes the descriptor readable. May be called from any thread.
  func wake() {
    var one: UInt64 = 1
    _ = write(wakeup, &one, MemoryLayout<UInt64>.size)
  }

  /// Watches a socket for reading, and for writing or not, from now on. A socket that is closed leaves by itself.
  func watch(_ socket: Int32, forWriting: Bool, token: Int) -> Bool {
    clinux_epoll_watch_level(descriptor, socket, UInt64(token), 1, forWriting ? 1 : 0) == 0
  }

  /// The sockets that are readable or writable now. A broken one is found broken by whatever is tried.
  func events() -> [(token: Int, isReadable: Bool)] {
    withUnsafeTemporaryAllocation(of: clinux_event.self, capacity: Self.capacity) { found in
      guard let base = found.baseAddress else { return [] }
      let count = clinux_epoll_wait(descriptor, base, Int32(Self.capacity), 0)
      return found.prefix(max(0, Int(count))).compactMap { event in
        guard event.token != Self.wakeToken else {
          var counter: UInt64 = 0
          _ = read(wakeup, &counter, MemoryLayout<UInt64>.size)
          return nil
        }
        let readable = CLINUX_IN | CLINUX_ERROR | CLINUX_HANGUP
        return (Int(event.token), event.events & UInt32(truncatingIfNeeded: readable) != 0)
      }
    }
  }
}
