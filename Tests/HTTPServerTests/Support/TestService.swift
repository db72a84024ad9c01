import Glibc
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// A service whose descriptor is a pipe. Those who wait for it go on when a byte has come.
final class TestService: LoopService, Sendable {
  private struct State {
    var deadline: Int64?
    var waiters: [UnsafeContinuation<Bool, Never>] = []
    var events: [String] = []
    var hasAsked = false
    var isClosed = false
  }

  private let state = Monitor(State())
  /// The pipe, or none.
  let descriptor: Int32
  private let reading: Int32
  private let writing: Int32
  /// Open once it was processed.
  let processed = Gate()

  /// - Parameter isWatchable: false for a descriptor that is none.
  init(isWatchable: Bool = true) throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    (reading, writing) = (ends[0], ends[1])
    descriptor = isWatchable ? reading : -1
    // It is processed at its deadline, too, when there is nothing to read.
    try #require(fcntl(reading, F_SETFL, O_NONBLOCK) == 0)
  }

  deinit {
    Glibc.close(reading)
    Glibc.close(writing)
  }

  /// What has happened so far, in its order.
  var events: [String] { state.withLock { $0.events } }

  func note(_ event: String) { state.withLock { $0.events.append(event) } }

  /// Lets the next end of a turn be noted.
  func askForEndOfTurn() { state.withLock { $0.hasAsked = true } }

  func endOfTurn() {
    state.withLock { state in
      if state.hasAsked { state.events.append("turn ended") }
      state.hasAsked = false
    }
  }

  /// Makes the descriptor readable.
  func ring() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  func setDeadline(inMilliseconds milliseconds: Int64?) {
    state.withLock { $0.deadline = milliseconds.map { monotonicMilliseconds() + $0 } }
  }

  /// Waits for a byte; false if the service is closed instead. For the loop's tasks.
  func next() async -> Bool {
    await withUnsafeContinuation { continuation in
      let isClosed = state.withLock { state in
        if !state.isClosed { state.waiters.append(continuation) }
        return state.isClosed
      }
      if isClosed { continuation.resume(returning: false) }
    }
  }

  /// Waits until somebody waits for a byte.
  func isAwaited() async throws { try await waitUntil { state.withLock { !$0.waiters.isEmpty } } }

  func deadline() -> Int64? { state.withLock { $0.deadline } }

  func close() {
    note("closed")
    state.withLock { $0.isClosed = true }
    resumeWaiters(with: false)
  }

  func process() {
    state.withLock { state in
      state.events.append("processed")
      state.deadline = nil
    }
    var byte: UInt8 = 0
    if read(reading, &byte, 1) == 1 { resumeWaiters(with: true) }
    processed.open()
  }

  private func resumeWaiters(with result: Bool) {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: result) }
  }
}
