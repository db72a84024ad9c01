import Foundation
import SelfieServerTesting
import XCTest

/// The same from XCTest: a server for each of its tests.
final class XCTestTests: XCTestCase {
  private var server: SelfieServer?

  override func setUp() async throws {
    server = try await SelfieServer.start()
  }

  override func tearDown() async throws {
    await server?.stop()
  }

  func testOneUserSignsUp() async throws { try await signUp() }

  func testAnotherTestHasAnotherServer() async throws { try await signUp() }

  func testAMistakeIsReportedAtTheLineThatVerifies() async throws {
    let requests = try XCTUnwrap(server).requests
    isMistaken = true
    let line = #line + 2
    do {
      try await requests.verify(.post("/api/signup"), exactly: 1)
      XCTFail("There was no mistake.")
    } catch {
      // XCTest does not report it once more.
      XCTAssertTrue("\(type(of: error))".contains("Unwrapping"))
    }
    isMistaken = false
    XCTAssertEqual(mistakes.count, 1)
    XCTAssertEqual(mistakes.map(\.line), [line])
    XCTAssertEqual(mistakes.first?.file, "\(#filePath)")
    XCTAssertTrue(mistakes.first?.text.contains("Expected exactly 1 POST /api/signup, but there was none.") == true)
  }

  private var isMistaken = false
  private var mistakes: [(text: String, file: String, line: Int)] = []

  override func recordFailure(withDescription text: String, inFile file: String, atLine line: Int, expected: Bool) {
    if isMistaken {
      mistakes.append((text, file, line))
    } else {
      super.recordFailure(withDescription: text, inFile: file, atLine: line, expected: expected)
    }
  }

  private func signUp() async throws {
    let app = App(try XCTUnwrap(server))
    let response = try await app.signUp("jo@example.com")
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(response["email"], "jo@example.com")
  }
}
