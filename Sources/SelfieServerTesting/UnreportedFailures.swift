import Foundation
import SelfieTestDocuments

#if canImport(Testing)
  import Testing
#endif
#if canImport(XCTest)
  import XCTest
#endif

/// The place of a call in a test.
struct SourcePlace: Sendable {
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
    (self.fileID, self.filePath, self.line, self.column) = (fileID, filePath, line, column)
  }
}

/// Reports failed checks to Swift Testing or XCTest, each once, at the line of the check. It keeps those of tasks that
/// belong to no test, such as detached ones, until the test that began them reports them.
final class UnreportedFailures: @unchecked Sendable {
  private let lock = NSLock()
  /// Nil unless a test will report them.
  private var failures: [(ExchangeMismatch, SourcePlace)]?

  /// Whether a test of Swift Testing began to keep them. It may have ended when they are reported.
  private var isOfTesting = false

  /// Keeps failures until ``report()``.
  func collect() {
    #if canImport(Testing)
      let isInTest = Test.current != nil
    #else
      let isInTest = false
    #endif
    lock.withLock { (failures, isOfTesting) = ([], isInTest) }
  }

  /// Keeps failures until ``report()`` if a test of Swift Testing calls this. XCTest takes them from any task.
  func collectInTest() {
    #if canImport(Testing)
      if Test.current != nil { collect() }
    #endif
  }

  /// Reports the failures that were kept.
  ///
  /// - Returns: the error with which to end the test in place of the last failure; nil if there was none.
  @discardableResult
  func report() -> (any Error)? {
    let kept = lock.withLock {
      let kept = failures
      if kept != nil { failures = [] }
      return kept ?? []
    }
    let isOfTesting = lock.withLock { self.isOfTesting }
    return kept.map { mismatch, place in mismatch.reported(at: place, isOfTesting: isOfTesting) }.last
  }

  /// - Returns: the error with which to end the test, which does not report it once more.
  func failure(_ mismatch: ExchangeMismatch, at place: SourcePlace) -> any Error {
    #if canImport(Testing)
      let isKept =
        Test.current == nil
        && lock.withLock {
          failures?.append((mismatch, place))
          return failures != nil
        }
      if isKept { return mismatch }
    #endif
    return mismatch.reported(at: place)
  }
}

extension ExchangeMismatch {
  /// Fails the test.
  ///
  /// - Parameter isOfTesting: whether it is of Swift Testing, even if this is not called in a test.
  /// - Returns: an error that the testing library does not report once more.
  fileprivate func reported(at place: SourcePlace, isOfTesting: Bool = false) -> any Error {
    #if canImport(Testing)
      let location = SourceLocation(
        fileID: "\(place.fileID)", filePath: "\(place.filePath)", line: Int(place.line), column: Int(place.column))
      if isOfTesting || Test.current != nil {
        do {
          try require(Never.self, at: location)
        } catch {
          return error
        }
      }
    #endif
    #if canImport(XCTest)
      do {
        // Does nothing where no test of XCTest is running.
        _ = try XCTUnwrap(nil as ExpectedRequests?, "\(self)", file: place.filePath, line: place.line)
      } catch {
        return error
      }
    #endif
    return self
  }

  #if canImport(Testing)
    /// Expects no error. The name of the type is not written at the macro, which would take that for a mistake.
    private func require<Failure: Error>(_ type: Failure.Type, at location: SourceLocation) throws {
      try #require(throws: type, sourceLocation: location) { throw self }
    }
  #endif
}

/// The name that XCTest shows of what is missing.
private struct ExpectedRequests {}
