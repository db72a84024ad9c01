import SelfieClient
import SelfieServerTesting
import XCTest

/// An app under test, which is a process of its own: it learns at its launch which server and which world it is to use.
final class LaunchTests: XCTestCase {
  private var server: SelfieServer?

  override func setUp() async throws {
    server = try await SelfieServer.start()
    try await server?.seed(.init(email: "jane@example.com", password: "secret12", photos: [.init(title: "At the sea")]))
  }

  override func tearDown() async throws {
    await server?.stop()
  }

  func testAnAppUsesTheServerOfItsLaunch() async throws {
    let server = try XCTUnwrap(server)
    let client = try SelfieClient(launchedWith: server.launchEnvironment, encrypt: server.encrypted)
    let session = try await client.signIn(email: "jane@example.com", password: "secret12")
    let photos = try await client.photos(session)
    XCTAssertEqual(photos.map(\.title), ["At the sea"])
    try await server.requests.verify(.get("/api/get_photos", status: 200), exactly: 1)
  }

  // For a target of UI tests in Xcode, which knows XCUIApplication.
  #if os(iOS)
    @MainActor
    func testTheAppShowsAPhoto() async throws {
      let server = try XCTUnwrap(server)
      let app = XCUIApplication()
      app.launchEnvironment.merge(server.launchEnvironment) { $1 }
      // An app that reads UserDefaults instead: app.launchArguments += server.launchArguments
      app.launch()
      app.textFields["Email"].tap()
      app.textFields["Email"].typeText("jane@example.com")
      app.secureTextFields["Password"].tap()
      app.secureTextFields["Password"].typeText("secret12")
      app.buttons["Sign In"].tap()
      XCTAssertTrue(app.staticTexts["At the sea"].waitForExistence(timeout: 10))
      try await server.requests.verify(.get("/api/get_photos", status: 200), exactly: 1)
    }
  #endif
}
