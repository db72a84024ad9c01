import Glibc
import Platform
import TestSupport
import Testing

/// A terminal of which a test is the screen and the keyboard (pty(7)).
final class PseudoTerminal: Sendable {
  /// What a program has as its standard input and output.
  let descriptor: Int32
  private let keyboard: Int32
  /// What the screen has shown so far.
  private let shown = Monitor<[UInt8]>([])

  /// Bounds only how long a test hangs that has failed.
  private static let timeoutMilliseconds: Int32 = 90_000

  /// ioctl_tty(2): unlocks the descriptor's other end, and gives its number.
  private static let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  init() throws {
    keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (isLocked, number): (Int32, Int32) = (0, 0)
    guard keyboard >= 0, ioctl(keyboard, Self.unlock, &isLocked) == 0, ioctl(keyboard, Self.number, &number) == 0
    else { throw SystemError("ptmx") }
    descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open") }
  }

  deinit {
    close(descriptor)
    close(keyboard)
  }

  /// Whether the screen shows what is typed.
  var echoes: Bool {
    var settings = termios()
    return tcgetattr(descriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  func type(_ text: String) throws {
    guard write(keyboard, text, text.utf8.count) == text.utf8.count else { throw SystemError("write") }
  }

  /// Waits until the screen has shown a text, and returns everything that it has shown.
  @discardableResult
  func awaitText(_ text: String) async throws -> String {
    try await Blocking.run { [self] in
      while true {
        let screen = String(decoding: shown.withLock { $0 }, as: UTF8.self)
        if screen.contains(text) { return screen }
        var event = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let isThere = poll(&event, 1, Self.timeoutMilliseconds) == 1
        let count = isThere ? read(keyboard, &bytes, bytes.count) : 0
        try #require(count > 0, "\(text) is not shown: \(screen)")
        shown.withLock { $0 += bytes[..<count] }
      }
    }
  }
}
