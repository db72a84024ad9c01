import CLinux
import Glibc

/// A thread of the operating system.
public struct Thread: Sendable {
  private let handle: pthread_t

  private final class Start {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Starts a thread; it must be joined.
  ///
  /// - Parameter name: as ps and top show it, 15 bytes at most.
  /// - Throws: when the system has no more threads to give.
  public init(named name: String, _ body: @escaping @Sendable () -> Void) throws(ThreadError) {
    // The pointer carries one retain count over to the thread, which takes it back at once.
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var handle = pthread_t()
    let code = pthread_create(&handle, nil, Self.main, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw ThreadError(number: code)
    }
    self.handle = handle
  }

  /// Waits for the thread's end. Once only.
  public func join() {
    pthread_join(handle, nil)
  }

  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
    guard let argument else { return nil }
    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
    clinux_name_thread(start.name)
    start.body()
    return nil
  }
}

/// The system could not start a thread.
public struct ThreadError: Error, CustomStringConvertible {
  public let number: Int32

  public var description: String { "Cannot start a thread: \(String(cString: strerror(number)))." }
}
