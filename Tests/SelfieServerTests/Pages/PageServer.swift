import Foundation
import SelfieTestControl
import TestSupport
import Testing

/// A server that keeps nothing, with the control interface.
struct PageServer {
  let origin: String
  let port: Int
  /// Ends the server with this process.
  private let process: ServerProcess

  private static let launched = Task { try await PageServer() }
  private static let launchedForVisitors = Task { try await PageServer() }

  /// The one whose pages all tests open. They change only worlds of their own.
  static func shared() async throws -> PageServer { try await launched.value }

  /// The one for visitors of the home page, who change what the inspector shows at first.
  static func forVisitors() async throws -> PageServer { try await launchedForVisitors.value }

  private init() async throws {
    process = try ServerProcess(["serve", "--ephemeral", "--exit-with-parent"], in: try TemporaryFolder())
    port = try await process.port()
    origin = "http://127.0.0.1:\(port)"
  }

  /// Opens a page of the server in the shared browser.
  func page(_ path: String, host: String = "127.0.0.1", width: Int = 1280) async throws -> BrowserPage {
    let page = try await Browser.shared().page(width: width)
    try await page.open("http://\(host):\(port)\(path)")
    return page
  }
}

extension BrowserPage {
  /// What nobody should see in the console, without the responses that a test has asked to be refused.
  func complaints(refusals: Int = 0) -> [String] {
    var left = refusals
    return problems.filter { problem in
      guard left > 0, problem.hasPrefix("network: Failed to load resource") else { return true }
      left -= 1
      return false
    }
  }

  /// The hosts of all requests.
  var hosts: Set<String> {
    Set(urls.compactMap { URL(string: $0) }.filter { $0.scheme != "data" && $0.scheme != "blob" }.compactMap(\.host))
  }
}
