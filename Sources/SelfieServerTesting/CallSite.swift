import SelfieTestControl
import Testing
import XCTest

/// The line of a test that calls a function of this library.
struct CallSite {
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  /// Fails the test at this line.
  ///
  /// - Returns: the error with which to end the test. Swift Testing does not report it once more, at the head of the test.
  func fail(_ mismatch: ExchangeMismatch) -> any Error {
    guard Test.current != nil else {
      // Does nothing where no test of XCTest is running.
      XCTFail("\(mismatch)", file: filePath, line: line)
      return mismatch
    }
    let location = SourceLocation(
      fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line), column: Int(column))
    do {
      let isAsExpected = false
      try #require(isAsExpected, "\(mismatch)", sourceLocation: location)
      return mismatch
    } catch {
      return error
    }
  }
}
