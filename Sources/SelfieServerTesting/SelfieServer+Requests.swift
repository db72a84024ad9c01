import Foundation
public import SelfieTestDocuments
import Testing
import XCTest

// The recorded requests of a test's server, from the test's side. `ExchangeFilter` in SelfieTestDocuments selects some,
// and `Journal` in SelfieTestControl keeps them.
extension SelfieServer {
  /// The requests to this server and its responses.
  public var requests: Requests { Requests(control: control) }

  /// The newest requests to a server and its responses, with secrets masked. Requests of monitors, for `/`, `/up` and
  /// `/readyz`, are there only where a fault rule names their path.
  public struct Requests: Sendable {
    let control: ControlClient

    /// The exchanges that a filter matches, oldest first.
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

    /// How many exchanges a filter matches.
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
  public func verify(
    _ filter: ExchangeFilter = .any, exactly: Int? = nil, atLeast: Int? = nil, atMost: Int? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async throws {
    let count = ExpectedCount(exactly: exactly, atLeast: atLeast, atMost: atMost)
    do {
      try await control.send("POST", "requests/verify", Joined(filter, count))
    } catch let mismatch as ExchangeMismatch {
      throw mismatch.failure(fileID, filePath, line, column)
    }
  }

  /// Waits until the filter matches `count` exchanges. Those that are already in the journal count. Fails the test after
  /// the timeout; the failure describes what happened instead.
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
        if uptime() >= end { throw mismatch.failure(fileID, filePath, line, column) }
      }
    }
  }
}

extension ExchangeMismatch {
  /// Fails the test at the line that calls the library.
  ///
  /// - Returns: the error with which to end the test. Swift Testing does not report it once more, at the head of the test.
  fileprivate func failure(
    _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt
  ) -> any Error {
    guard Test.current != nil else {
      // Does nothing where no test of XCTest is running.
      XCTFail("\(self)", file: filePath, line: line)
      return self
    }
    let location = SourceLocation(
      fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line), column: Int(column))
    do {
      let isAsExpected = false
      try #require(isAsExpected, "\(self)", sourceLocation: location)
      return self
    } catch {
      return error
    }
  }
}
