import Foundation
import Glibc
import Platform
import Synchronization

/// The lines that a process writes to a pipe, kept as they come.
final class Lines: Sendable {
  private struct Waiter {
    let isWanted: @Sendable (String) -> Bool
    let continuation: CheckedContinuation<String?, Never>
  }

  private struct State {
    var lines: [String] = []
    var isAtEnd = false
    var waiters: [Waiter] = []
  }

  private let state = Mutex(State())
  private let reader: Mutex<Platform.Thread?> = Mutex(nil)

  /// Reads until the end, on a thread of its own, and closes the descriptor then.
  init(of descriptor: Int32) throws {
    let thread = try Platform.Thread(named: "lines") { [self] in
      var rest = Data()
      var block = [UInt8](repeating: 0, count: 4096)
      defer { close(descriptor) }
      while case let count = read(descriptor, &block, block.count), count > 0 {
        rest += block[..<count]
        while let lineFeed = rest.firstIndex(of: 0x0a) {
          add(String(decoding: rest[..<lineFeed], as: UTF8.self))
          rest = Data(rest[(lineFeed + 1)...])
        }
      }
      if !rest.isEmpty { add(String(decoding: rest, as: UTF8.self)) }
      end()
    }
    reader.withLock { $0 = thread }
  }

  deinit {
    // The thread has ended: it held this object until then.
    reader.withLock { $0 }?.join()
  }

  /// The first of the lines, of those that are there and of those to come; nil when the end comes first.
  func first(where isWanted: @escaping @Sendable (String) -> Bool) async -> String? {
    await withCheckedContinuation { continuation in
      let known: String?? = state.withLock { state in
        if let line = state.lines.first(where: isWanted) { return line }
        if state.isAtEnd { return .some(nil) }
        state.waiters.append(Waiter(isWanted: isWanted, continuation: continuation))
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// All of them, once the process has closed the pipe.
  func all() async -> [String] {
    _ = await first { _ in false }
    return state.withLock { $0.lines }
  }

  private func add(_ line: String) {
    let satisfied = state.withLock { state in
      state.lines.append(line)
      let satisfied = state.waiters.filter { $0.isWanted(line) }
      state.waiters.removeAll { $0.isWanted(line) }
      return satisfied
    }
    for waiter in satisfied { waiter.continuation.resume(returning: line) }
  }

  private func end() {
    let left = state.withLock { state in
      state.isAtEnd = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in left { waiter.continuation.resume(returning: nil) }
  }
}
