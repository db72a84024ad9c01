import Glibc

/// What a program writes to a pipe, read by a thread that may wait.
final class Output {
  private let descriptor: Int32
  private var received: [UInt8] = []

  /// - Parameter descriptor: is closed in the end.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// The next line; nil at the end, or when nothing comes for half a minute.
  func line() -> String? {
    while true {
      if let lineFeed = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeFirst(lineFeed + 1) }
        return String(decoding: received[..<lineFeed], as: UTF8.self)
      }
      guard receive() else { return nil }
    }
  }

  /// All that is left, to the end.
  func rest() -> [UInt8] {
    while receive() {}
    return received
  }

  private func receive() -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, 30_000) > 0 else { return false }
    var block = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(descriptor, &block, block.count)
    guard count > 0 else { return false }
    received += block[..<count]
    return true
  }
}
