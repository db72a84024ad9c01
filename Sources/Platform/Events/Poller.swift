import CLinux
import Glibc

/// An epoll instance (epoll(7)), and the eventfd that wakes it. `EventLoop` in HTTPServer handles the events.
package final class Poller: Sendable {
  /// A change of a descriptor's state.
  package struct Event {
    package let token: UInt64
    /// There is something to read, or the peer has closed its sending side.
    package let isReadable: Bool
    package let isWritable: Bool
    /// The peer will send nothing more.
    package let isPeerClosed: Bool
    /// The connection was reset, or both sides are closed: no response will be read.
    package let isBroken: Bool

    fileprivate init(_ event: clinux_event) {
      func has(_ flags: Int) -> Bool { event.events & UInt32(truncatingIfNeeded: flags) != 0 }
      token = event.token
      isBroken = has(CLINUX_ERROR | CLINUX_HANGUP)
      isPeerClosed = has(CLINUX_PEER_CLOSED) || isBroken
      isReadable = has(CLINUX_IN) || isPeerClosed
      isWritable = has(CLINUX_OUT) || isBroken
    }
  }

  /// The token of the wake-up descriptor.
  private static let wakeToken = UInt64.max
  /// Events taken from the kernel at once, which fit on the stack. The rest come with the next wait.
  private static let capacity = 256

  private let epoll: OpenFile
  private let wakeup: OpenFile

  package init() throws(SystemError) {
    epoll = OpenFile(owning: clinux_epoll_create())
    guard epoll.descriptor >= 0 else { throw SystemError("epoll_create1") }
    wakeup = OpenFile(owning: clinux_eventfd())
    guard wakeup.descriptor >= 0 else { throw SystemError("eventfd") }
    guard addListener(wakeup.descriptor, token: Self.wakeToken) else { throw SystemError("epoll_ctl") }
  }

  /// Watches a socket in both directions, edge-triggered; false if the kernel refuses.
  package func add(_ descriptor: Int32, token: UInt64) -> Bool {
    clinux_epoll_add_edge(epoll.descriptor, descriptor, token) == 0
  }

  /// Watches a listening socket, level-triggered: events repeat while connections wait to be accepted.
  package func addListener(_ descriptor: Int32, token: UInt64) -> Bool {
    clinux_epoll_add_level(epoll.descriptor, descriptor, token) == 0
  }

  /// Stops watching a descriptor that stays open.
  package func remove(_ descriptor: Int32) {
    _ = clinux_epoll_remove(epoll.descriptor, descriptor)
  }

  /// Wakes the thread that waits. May be called from any thread.
  package func wake() {
    var one: UInt64 = 1
    // This fails only if the counter is full, and then the thread is about to wake anyway.
    _ = write(wakeup.descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Waits for at most `timeout` milliseconds (-1: for ever) and replaces `events`.
  package func wait(timeout: Int32, into events: inout [Event]) {
    events.removeAll(keepingCapacity: true)
    withUnsafeTemporaryAllocation(of: clinux_event.self, capacity: Self.capacity) { found in
      guard let base = found.baseAddress else { return }
      let count = clinux_epoll_wait(epoll.descriptor, base, Int32(Self.capacity), timeout)
      for index in 0..<max(0, Int(count)) {
        if found[index].token == Self.wakeToken {
          var counter: UInt64 = 0
          _ = read(wakeup.descriptor, &counter, MemoryLayout<UInt64>.size)
        } else {
          events.append(Event(found[index]))
        }
      }
    }
  }
}
