import Foundation
import Glibc
import Measuring
import SelfieServerTesting

/// Does what a test does that has a server for itself: starts one in this process, sows a user with a token, asks for
/// her photos, and stops it; again and again. Prints the milliseconds of each.
@main
struct InProcessServers {
  static func main() async throws {
    let arguments = arguments("in-process-servers COUNT")
    for _ in 0..<number(arguments[0]) {
      let begin = monotonicSeconds()
      try await SelfieServer.run { server in
        try await server.seed(.init(email: "jane@example.com", tokens: ["janes-token"]))
        guard isServed(UInt16(server.port)) else { fail("the server did not answer") }
      }
      print(decimals((monotonicSeconds() - begin) * 1000, 2))
    }
  }

  private static func isServed(_ port: UInt16) -> Bool {
    guard let descriptor = Loopback.open(port: port) else { return false }
    defer { close(descriptor) }
    let request = "GET /api/get_photos HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token token=janes-token\r\n\r\n"
    return Measuring.Exchange.send(Array(request.utf8), to: descriptor) && Measuring.Exchange.isAnswered(on: descriptor)
  }
}
