import Foundation
import Glibc
import Measuring
import SelfieServerTesting

/// Repeats what a test does with a server of its own: starts one in this process, seeds a user with a token, lists the
/// user's photos, and stops the server. Prints the milliseconds of each repetition.
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
