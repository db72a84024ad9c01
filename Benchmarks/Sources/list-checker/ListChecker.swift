import Glibc
import LoadTesting
import Measuring
import Platform
import Synchronization

/// Reads lists of photos while others change them, and checks each list against the writes that were acknowledged before
/// it was asked for. Exits with 1 if a list lacks a photo, or has one that was deleted, or if an ended token still opens
/// one.
///
/// Prints the reads per second, the writes, and the lists that were wrong.
@main
struct ListChecker {
  private static let users = 64
  private static let readers = 8
  private static let writers = 8

  static func main() throws {
    let arguments = arguments("list-checker PORT BASIC PASSWORD WRITES_PER_SECOND SECONDS")
    guard let port = UInt16(arguments[0]) else { fail("\(arguments[0]) is no port") }
    let (rate, seconds) = (Double(number(arguments[3])), Double(number(arguments[4])))
    signal(SIGPIPE, SIG_IGN)
    let all = (0..<users).map { number in
      guard let user = CheckedUser(number: number, port: port, basic: arguments[1], password: arguments[2]) else {
        fail("no account could be made")
      }
      return user
    }
    let counts = Counts()
    let writerThreads = try (0..<writers).map { writer in
      try Thread(named: "writer") {
        // Each user has one writer, which so knows what the user's list must be.
        let own = all.enumerated().filter { $0.offset % writers == writer }.map(\.element)
        var due = monotonicSeconds() + Double.random(in: 0...(Double(writers) / rate))
        while !counts.isOver.load(ordering: .relaxed) {
          pause(due - monotonicSeconds())
          due = max(due + Double(writers) / rate, monotonicSeconds() - 1)
          guard own.randomElement()?.write() == true else { fail("a write failed") }
          counts.writes.add(1, ordering: .relaxed)
        }
      }
    }
    let readerThreads = try (0..<readers).map { _ in
      try Thread(named: "reader") {
        guard let connection = BlockingConnection(port: port, timeout: 60) else { fail("no connection") }
        while !counts.isOver.load(ordering: .relaxed) {
          guard let user = all.randomElement(), let problem = user.read(on: connection) else { fail("a read failed") }
          counts.reads.add(1, ordering: .relaxed)
          guard !problem.isEmpty else { continue }
          counts.wrong.add(1, ordering: .relaxed)
          let line = "\(problem)\n"
          _ = Glibc.write(STDERR_FILENO, line, line.utf8.count)
        }
      }
    }
    pause(seconds)
    counts.isOver.store(true, ordering: .relaxed)
    for thread in readerThreads + writerThreads { thread.join() }
    print(counts.line(seconds: seconds))
    exit(counts.wrong.load(ordering: .relaxed) == 0 ? 0 : 1)
  }
}

private final class Counts: Sendable {
  let reads = Atomic<Int>(0)
  let writes = Atomic<Int>(0)
  let wrong = Atomic<Int>(0)
  let isOver = Atomic<Bool>(false)

  func line(seconds: Double) -> String {
    let (reads, writes) = (reads.load(ordering: .relaxed), writes.load(ordering: .relaxed))
    return "\(decimals(Double(reads) / seconds, 0)) reads/s, \(decimals(Double(writes) / seconds, 0)) writes/s, "
      + "\(reads) lists read, \(wrong.load(ordering: .relaxed)) wrong"
  }
}
