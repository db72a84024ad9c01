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

  private func signUp() async throws {
    let app = App(try XCTUnwrap(server))
    let response = try await app.signUp("jo@example.com")
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(response["email"], "jo@example.com")
  }
}
