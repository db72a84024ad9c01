import CLinux
import Glibc

/// A thread of the operating system. A single piece of work that blocks goes to a `WorkerPool` instead.
package struct Thread: Sendable {
  private let handle: pthread_t

  private final class Start {
    let body: () -> Void

    init(_ body: @escaping () -> Void) {
      self.body = body
    }
  }

  /// Starts a thread; it must be joined.
  ///
  /// - Parameters:
  ///   - name: as ps and top show it, 15 bytes at most.
  ///   - niceness: how far it gives way to others when there are fewer cores than busy threads, 0 to 19 (nice(2)).
  /// - Throws: if the system has no more threads to give.
  package init(named name: String, niceness: Int = 0, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // The pointer carries one retain count to the thread, which takes it over at once.
    let start = Unmanaged.passRetained(
      Start {
        clinux_name_thread(name)
        clinux_lower_priority(Int32(clamping: niceness))
        body()
      })
    var handle = pthread_t()
    let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
      if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
      return nil
    }
    let code = pthread_create(&handle, nil, main, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw SystemError("pthread_create", number: code)
    }
    self.handle = handle
  }

  /// Whether the caller runs on it.
  package var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

  /// Waits for the thread's end. To be called once. On the thread itself, which cannot wait for its own end, it returns
  /// at once.
  package func join() {
    if isCurrent { pthread_detach(handle) } else { pthread_join(handle, nil) }
  }
}
