import Foundation
public import SelfieTestDocuments

// The recorded requests of a test's server, from the test's side. `ExchangeFilter` in SelfieTestDocuments selects some,
// and `Journal` in SelfieTestControl keeps them.
extension SelfieServer {
  /// The requests to this server and its responses.
  public var requests: Requests { Requests(control: control, failures: failures) }

  /// The newest requests to a server and its responses, with secrets masked. Requests of monitors, for `/`, `/up` and
  /// `/readyz`, are there only where a fault rule names their path.
  public struct Requests: Sendable {
    let control: ControlClient
    let failures: UnreportedFailures

    /// The exchanges that a filter matches, oldest first. Those of requests under way are not among them.
    public func exchanges(matching filter: ExchangeFilter = .any) async throws -> [Exchange] {
      do {
        return try await wait(filter, AwaitedCount(timeout: .zero))
      } catch is ExchangeMismatch {
        return []
      }
    }

    /// The exchange with this id.
    ///
    /// - Throws: ``ControlError`` if there is none, or no longer.
    public func exchange(_ id: Int64) async throws -> Exchange { try await control.send("GET", "requests/\(id)") }

    /// How many exchanges a filter matches. It waits for requests under way that may match.
    ///
    /// - Throws: ``ControlError`` if some have not ended in time, or exchanges that may have matched are no longer kept.
    public func count(matching filter: ExchangeFilter = .any) async throws -> Int {
      try await (control.send("POST", "requests/count", filter) as [String: Int])["matched"] ?? 0
    }

    /// The id of the newest exchange that there has been, for `ExchangeFilter.since(_:)`; 0 before the first.
    public var lastID: Int64 {
      get async throws { try await (control.send("GET", "requests?limit=0") as ExchangeList).lastID ?? 0 }
    }

    /// Removes all exchanges, and does not record requests that are in flight. Ids keep counting, and waits go on.
    public func clear() async throws { try await control.send("DELETE", "requests") }

    private func wait(_ filter: ExchangeFilter, _ count: AwaitedCount) async throws -> [Exchange] {
      try await (control.send("POST", "requests/wait", Joined(filter, count)) as ExchangeList).requests
    }
  }
}

// Failures are reported at the line of the call, by Swift Testing and by XCTest.
extension SelfieServer.Requests {
  /// Fails the test unless the filter matches as many exchanges as it should: `exactly`, `atLeast` or `atMost` a number. The
  /// failure describes what happened instead.
  ///
  ///     try await server.requests.verify(.post("/api/signup"), exactly: 1)
  ///
  /// A request that is still being answered counts. If only its response decides, this waits for it, up to 5 seconds.
  public func verify(
    _ filter: ExchangeFilter = .any, exactly: Int? = nil, atLeast: Int? = nil, atMost: Int? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async throws {
    let mismatch = try await mismatch(filter, exactly: exactly, atLeast: atLeast, atMost: atMost)
    if let mismatch { throw failures.failure(mismatch, at: SourcePlace(fileID, filePath, line, column)) }
  }

  /// Fails the test unless requests came that the filters match, each after the one before. Others may have come in
  /// between. The order is that in which they arrived.
  ///
  ///     try await server.requests.verify(order: [.post("/api/signin"), .get("/api/get_photos"), .get("/photos/*")])
  public func verify(
    order: [ExchangeFilter],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async throws {
    do {
      try await control.send("POST", "requests/verify", ExpectedOrder(order))
    } catch let mismatch as ExchangeMismatch {
      throw failures.failure(mismatch, at: SourcePlace(fileID, filePath, line, column))
    }
  }

  /// Checks as ``verify(_:exactly:atLeast:atMost:fileID:filePath:line:column:)`` does, but does not fail the test.
  ///
  /// - Returns: what happened instead; nil if all is as expected.
  public func mismatch(
    _ filter: ExchangeFilter = .any, exactly: Int? = nil, atLeast: Int? = nil, atMost: Int? = nil
  ) async throws -> ExchangeMismatch? {
    let counts = [("exactly", exactly), ("atLeast", atLeast), ("atMost", atMost)].filter { $0.1 != nil }
    guard counts.count == 1 else {
      let given = counts.isEmpty ? "none" : counts.map(\.0).joined(separator: " and ")
      throw ControlError(
        status: nil, message: "Say how many there must be: pass one of exactly, atLeast and atMost, not \(given).")
    }
    let count = ExpectedCount(exactly: exactly, atLeast: atLeast, atMost: atMost)
    do {
      try await control.send("POST", "requests/verify", Joined(filter, count))
      return nil
    } catch let mismatch as ExchangeMismatch {
      return mismatch
    }
  }

  /// Waits until the filter matches `count` exchanges that have ended. Those that are already in the journal count. Fails
  /// the test after the timeout; the failure describes what happened instead.
  ///
  ///     let uploads = try await server.requests.wait(for: .post("/api/upload_photo", status: 200), count: 2)
  ///
  /// - Parameter timeout: a real time, independent of the server's clock.
  /// - Returns: all matching exchanges in the journal, oldest first.
  /// - Throws: `CancellationError` when the task is cancelled; ``ControlError`` when too many wait, or the server stops.
  @discardableResult
  public func wait(
    for filter: ExchangeFilter = .any, count: Int = 1, timeout: TestDuration = .seconds(5),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async throws -> [Exchange] {
    func uptime() -> Double { ProcessInfo.processInfo.systemUptime }
    let end = uptime() + Double(timeout.milliseconds) / 1000
    while true {
      // A request waits for a minute at most.
      let part = TestDuration.seconds(min(max(0, end - uptime()), 60))
      do {
        return try await wait(filter, AwaitedCount(count: count, timeout: part))
      } catch let mismatch as ExchangeMismatch {
        if uptime() >= end { throw failures.failure(mismatch, at: SourcePlace(fileID, filePath, line, column)) }
      }
    }
  }
}
