import Foundation
import Glibc
import Platform
import TestSupport

/// The lines that a process writes to a pipe, kept as they come.
final class Lines: Sendable {
  private let state = Monitor((lines: [String](), isAtEnd: false))
  private let reader: Monitor<Platform.Thread?> = Monitor(nil)

  /// Reads until the end, on a thread of its own, and closes the descriptor then.
  init(of descriptor: Int32) throws {
    let thread = try Platform.Thread(named: "lines") { [self] in
      var rest = Data()
      var block = [UInt8](repeating: 0, count: 4096)
      defer { close(descriptor) }
      while case let count = read(descriptor, &block, block.count), count > 0 {
        rest += block[..<count]
        while let lineFeed = rest.firstIndex(of: 0x0a) {
          add(rest[..<lineFeed])
          rest = Data(rest[(lineFeed + 1)...])
        }
      }
      if !rest.isEmpty { add(rest) }
      state.withLock { $0.isAtEnd = true }
    }
    reader.withLock { $0 = thread }
  }

  deinit {
    // The thread has ended: it held this object until then.
    reader.withLock { $0 }?.join()
  }

  private func add(_ line: Data) {
    state.withLock { $0.lines.append(String(decoding: line, as: UTF8.self)) }
  }

  /// The first of the lines, of those that are there and of those to come; nil when the end, or that of the test, comes
  /// first.
  func first(where isWanted: (String) -> Bool) async -> String? {
    var (seen, found): (Int, String?) = (0, nil)
    try? await waitUntil {
      state.withLock { state in
        found = state.lines[seen...].first(where: isWanted)
        seen = state.lines.count
        return found != nil || state.isAtEnd
      }
    }
    return found
  }

  /// All of them, once the process has closed the pipe.
  func all() async -> [String] {
    _ = await first { _ in false }
    return state.withLock { $0.lines }
  }
}
