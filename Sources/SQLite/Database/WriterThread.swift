import Glibc
import Synchronization

/// The thread of a ``Writer``. Writes wait for the disk, which neither an event loop nor Swift's own few threads may.
final class WriterThread: Sendable {
  /// Nil once somebody waits for its end.
  private let thread: Mutex<pthread_t?>

  /// Starts the thread, which alone uses `connection` from now on.
  init(writer: Writer, connection: sending Connection) throws(SQLiteError) {
    let start = Unmanaged.passRetained(Start(writer: writer, connection: connection))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        WriterThread.run(Unmanaged<Start>.fromOpaque(argument).takeRetainedValue())
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw .misuse("no thread for writing: \(String(cString: strerror(code)))")
    }
    self.thread = Mutex(thread)
  }

  /// Waits until the thread has ended, unless somebody does already.
  func join() {
    let joinable = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    guard let joinable else { return }
    // The last owner of the database may be a write itself: a thread cannot wait for its own end.
    if pthread_equal(joinable, pthread_self()) != 0 {
      pthread_detach(joinable)
    } else {
      pthread_join(joinable, nil)
    }
  }

  private final class Start {
    let writer: Writer
    let connection: Connection

    init(writer: Writer, connection: Connection) {
      self.writer = writer
      self.connection = connection
    }
  }

  private static func run(_ start: Start) {
    setName("sqlite-writer")
    // Signals are for the threads that wait for them.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    start.writer.serve(start.connection)
  }
  /// For `top -H` and debuggers; 15 bytes at most (proc_pid_comm(5)). Swift sees neither of the C functions for it:
  /// `pthread_setname_np` is an extension, and `prctl` variadic. A thread without a name works as well.
  private static func setName(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, name, name.utf8.count)
    close(file)
  }
}
