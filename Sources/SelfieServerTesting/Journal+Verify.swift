import SelfieTestControl
import SelfieTestDocuments
import Testing
import XCTest

// Failures are reported at the line of the call, by Swift Testing and by XCTest.

extension Journal {
  /// Fails the test unless the filter matches exactly `count` exchanges. The failure describes what happened instead.
  ///
  ///     try server.requests.verify(.post("/api/signup"), exactly: 1)
  public func verify(
    _ filter: ExchangeFilter = .any, exactly count: Int, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws {
    try verify(filter, count...count, fileID, filePath, line, column)
  }

  /// Fails the test unless the filter matches at least `count` exchanges.
  public func verify(
    _ filter: ExchangeFilter = .any, atLeast count: Int, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws {
    try verify(filter, count...Int.max, fileID, filePath, line, column)
  }

  /// Fails the test unless the filter matches at most `count` exchanges.
  public func verify(
    _ filter: ExchangeFilter = .any, atMost count: Int, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws {
    try verify(filter, Int.min...count, fileID, filePath, line, column)
  }

  private func verify(
    _ filter: ExchangeFilter, _ counts: ClosedRange<Int>, _ fileID: StaticString, _ filePath: StaticString,
    _ line: UInt, _ column: UInt
  ) throws {
    do {
      try verify(filter, counts)
    } catch {
      throw error.failTest(fileID, filePath, line, column)
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
    for filter: ExchangeFilter = .any, count: Int = 1, timeout: Duration = .seconds(5),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async throws -> [Exchange] {
    do {
      return try await exchanges(matching: filter, atLeast: count, within: timeout)
    } catch let mismatch as ExchangeMismatch {
      throw mismatch.failTest(fileID, filePath, line, column)
    }
  }
}

extension ExchangeMismatch {
  /// Fails the test at the line of a call.
  ///
  /// - Returns: the error with which to end the test. Swift Testing does not report it once more, at the head of the test.
  fileprivate func failTest(
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
