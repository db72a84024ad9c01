import Foundation
import TestSupport
import Testing

/// A server that keeps its data, with the user jane@example.com and a photo, whose owner's page several tests look at.
/// None of them changes anything.
struct OwnerPageServer {
  let folder: TemporaryFolder
  let origin: String
  /// Ends the server with this process.
  private let process: ServerProcess

  private static let launched = Task { try await OwnerPageServer() }

  static func shared() async throws -> OwnerPageServer { try await launched.value }

  private init() async throws {
    folder = try TemporaryFolder()
    process = try ServerProcess(["serve", "--exit-with-parent"], in: folder)
    origin = "http://localhost:\(try await process.port())"
    let jane = try await process.appOfNewUser()
    _ = try await jane.postBtnTapped(image: PNG.random(width: 30, height: 30), title: "one")
  }

  /// Opens the page by a link of its own in the shared browser. The server keeps four links, so no more than four tests
  /// may do that at once.
  func page() async throws -> BrowserPage {
    let printed = try await ServerProcess.run(["owner"], in: folder)
    let page = try await Browser.shared().page()
    try await page.open(try #require(printed.output.first, "\(printed)"))
    try await page.wait(forText: "The server is running.")
    return page
  }
}
