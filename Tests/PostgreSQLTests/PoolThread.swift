import Glibc
import Platform
import TestSupport

@testable import PostgreSQL

/// A thread that runs tasks and looks after its pool, as an event loop of the server does.
final class PoolThread: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isEnding = false
  }

  private let state = Monitor(State())
  private let wakeUps: ProgramPipe
  private let thread = Monitor<Thread?>(nil)
  private let id = Monitor<pthread_t?>(nil)

  /// - Parameter makePool: is called on the thread; nil for a thread without a pool.
  init(_ makePool: (@Sendable () throws -> ConnectionPool)?) throws {
    wakeUps = try ProgramPipe()
    let started = try Thread(named: "pool") { [self] in run(try? makePool?()) }
    thread.withLock { $0 = started }
  }

  /// Whether the calling thread is this one.
  var isCurrent: Bool { id.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    wake()
  }

  /// Runs what there is to run, and ends the thread.
  func end() {
    state.withLock { $0.isEnding = true }
    wake()
    thread.withLock { $0 }?.join()
  }

  private func wake() {
    var byte: UInt8 = 0
    write(wakeUps.writing, &byte, 1)
  }

  private func run(_ pool: ConnectionPool?) {
    id.withLock { $0 = pthread_self() }
    while true {
      let (jobs, isEnding) = state.withLock { state in
        defer { state.jobs = [] }
        return (state.jobs, state.isEnding)
      }
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
      if isEnding { break }
      var waited = [pollfd(fd: wakeUps.reading, events: Int16(POLLIN), revents: 0)]
      if let pool { waited.append(pollfd(fd: pool.descriptor, events: Int16(POLLIN), revents: 0)) }
      let timeout = pool?.deadline().map { max(0, $0 - monotonicMilliseconds()) } ?? -1
      poll(&waited, nfds_t(waited.count), Int32(timeout))
      if waited[0].revents != 0 {
        var bytes = [UInt8](repeating: 0, count: 64)
        read(wakeUps.reading, &bytes, bytes.count)
      }
      pool?.process()
    }
    pool?.close()
    close(wakeUps.reading)
    close(wakeUps.writing)
  }
}
