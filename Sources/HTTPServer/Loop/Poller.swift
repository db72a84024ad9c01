import CLinux
import Glibc
import Platform

/// An epoll instance (epoll(7)), and the eventfd that wakes it.
final class Poller: Sendable {
  /// A change of a descriptor's state.
  struct Event {
    let token: UInt64
    private let flags: UInt32

    init(token: UInt64, flags: UInt32) {
      self.token = token
      self.flags = flags
    }

    private func has(_ flag: Int) -> Bool { flags & UInt32(truncatingIfNeeded: flag) != 0 }

    /// There is something to read, or the peer has closed its sending side.
    var isReadable: Bool { has(CLINUX_IN) || has(CLINUX_PEER_CLOSED) || isBroken }
    var isWritable: Bool { has(CLINUX_OUT) || isBroken }
    /// The peer will send nothing more.
    var isPeerClosed: Bool { has(CLINUX_PEER_CLOSED) || isBroken }
    /// The connection was reset, or both sides are closed: nobody will read a response.
    var isBroken: Bool { has(CLINUX_ERROR) || has(CLINUX_HANGUP) }
  }

  /// The token of the wake-up descriptor.
  private static let wakeToken = UInt64.max
  /// Events taken from the kernel at once, which fit on the stack. The rest come with the next wait.
  private static let capacity = 256

  private let epoll: OpenFile
  private let wakeup: OpenFile

  init() throws(SystemError) {
    epoll = OpenFile(owning: clinux_epoll_create())
    guard epoll.descriptor >= 0 else { throw SystemError("epoll_create1") }
    wakeup = OpenFile(owning: clinux_eventfd())
    guard wakeup.descriptor >= 0 else { throw SystemError("eventfd") }
    guard addListener(wakeup.descriptor, token: Self.wakeToken) else { throw SystemError("epoll_ctl") }
  }

  /// Watches a socket in both directions, edge-triggered; false if the kernel refuses.
  func add(_ descriptor: Int32, token: UInt64) -> Bool {
    clinux_epoll_add_edge(epoll.descriptor, descriptor, token) == 0
  }

  /// Watches a listening socket, level-triggered: events repeat while connections wait to be accepted.
  func addListener(_ descriptor: Int32, token: UInt64) -> Bool {
    clinux_epoll_add_level(epoll.descriptor, descriptor, token) == 0
  }

  /// Stops watching a descriptor that stays open.
  func remove(_ descriptor: Int32) {
    _ = clinux_epoll_remove(epoll.descriptor, descriptor)
  }

  /// Wakes the thread that waits. May be called from any thread.
  func wake() {
    var one: UInt64 = 1
    // This fails only if the counter is full, and then the thread is about to wake anyway.
    _ = write(wakeup.descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Waits for at most `timeout` milliseconds (-1: for ever) and replaces `events`.
  func wait(timeout: Int32, into events: inout [Event]) {
    events.removeAll(keepingCapacity: true)
    withUnsafeTemporaryAllocation(of: clinux_event.self, capacity: Self.capacity) { found in
      guard let base = found.baseAddress else { return }
      let count = clinux_epoll_wait(epoll.descriptor, base, Int32(Self.capacity), timeout)
      for index in 0..<max(0, Int(count)) {
        if found[index].token == Self.wakeToken {
          var counter: UInt64 = 0
          _ = read(wakeup.descriptor, &counter, MemoryLayout<UInt64>.size)
        } else {
          events.append(Event(token: found[index].token, flags: found[index].events))
        }
      }
    }
  }
}
