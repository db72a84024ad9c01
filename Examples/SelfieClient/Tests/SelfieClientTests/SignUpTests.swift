import SelfieClient
import SelfieServerTesting
import XCTest

/// The same with XCTest: a server of its own for each test.
final class SignUpTests: XCTestCase {
  private var server: SelfieServer?

  override func setUp() async throws {
    server = try await SelfieServer.start()
  }

  override func tearDown() async throws {
    await server?.stop()
  }

  func testAnEmailIsTakenOnce() async throws {
    let client = SelfieClient(try XCTUnwrap(server))
    try await client.signUp(fullName: "Jane Doe", email: "jane@example.com", password: "secret12")
    do {
      try await client.signUp(fullName: "John Doe", email: "jane@example.com", password: "secret34")
      XCTFail("A second user has the same email.")
    } catch {
      XCTAssertEqual(
        error as? SelfieError, .refused(status: 400, message: "email - has already been taken,"))
    }
  }
}
