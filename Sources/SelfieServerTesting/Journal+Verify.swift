import SelfieTestControl

// Failures are reported at the line of the call, by Swift Testing and by XCTest.

extension Journal {
  /// Fails the test unless the filter matches exactly `count` exchanges. The failure describes what happened instead.
  ///
  ///     try server.requests.verify(.post("/api/signup"), exactly: 1)
  public func verify(
    _ filter: ExchangeFilter = .any, exactly count: Int, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws {
    try verify(filter, .exactly(count), CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Fails the test unless the filter matches at least `count` exchanges.
  public func verify(
    _ filter: ExchangeFilter = .any, atLeast count: Int, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws {
    try verify(filter, .atLeast(count), CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Fails the test unless the filter matches at most `count` exchanges.
  public func verify(
    _ filter: ExchangeFilter = .any, atMost count: Int, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws {
    try verify(filter, .atMost(count), CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  private func verify(_ filter: ExchangeFilter, _ count: ExchangeCount, _ site: CallSite) throws {
    do {
      try verify(filter, count)
    } catch {
      throw site.fail(error)
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
      throw CallSite(fileID: fileID, filePath: filePath, line: line, column: column).fail(mismatch)
    }
  }
}
