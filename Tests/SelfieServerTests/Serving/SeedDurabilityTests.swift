import Foundation
import TestSupport
import Testing
import Torture

@Suite(.timeLimit(.minutes(10))) struct SeedDurabilityTests {
  private static func seed(_ port: Int) async throws -> String {
    let json = "{\"users\":[{\"email\":\"ada@example.com\",\"photos\":[{\"title\":\"one\"}]}]}"
    let client = try await RawClient.connect(to: port)
    defer { client.close() }
    let basic = Data("me:a long password".utf8).base64EncodedString()
    try await client.send(
      "POST /__admin/seed HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic \(basic)\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)")
    return try await client.response().statusLine
  }

  @Test func `a seed is refused on a server that keeps data if the names of its photos cannot be synced`() async throws
  {
    let folder = try TemporaryFolder()
    let library = try FaultsLibrary.build("\(checkout)/Tests/Faults/Faults.c", in: folder.path)
    let server = try ServerProcess(
      ["serve", "--control"],
      environment: [
        "LD_PRELOAD": library, "FAULTS": "\(folder.path)/faults", "CONTROL_NAME": "me",
        "CONTROL_PASSWORD": "a long password",
      ], in: folder)
    let port = try await server.port()
    try folder.write("sync 5 -1 */photos/??\n", to: "faults")
    #expect(try await Self.seed(port).hasPrefix("HTTP/1.1 500"))
    #expect(try folder.files(in: "storage/photos") == [])

    try folder.remove("faults")
    #expect(try await Self.seed(port).hasPrefix("HTTP/1.1 2"))
    #expect(try folder.files(in: "storage/photos").count == 1)
    await server.stop()
  }
}
