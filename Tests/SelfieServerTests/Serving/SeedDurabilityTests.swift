import Foundation
import TestSupport
import Testing
import Torture

@Suite(.timeLimit(.minutes(10))) struct SeedDurabilityTests {
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
    let json = #"{"users":[{"email":"ada@example.com","photos":[{"title":"one"}]}]}"#
    let fields = ["Host: 127.0.0.1", "Authorization: Basic \(Data("me:a long password".utf8).base64EncodedString())"]
    func seed() async throws -> Int {
      try await server.response(to: "POST /__admin/seed", fields + ["Content-Type: application/json"], body: json)
        .status
    }
    _ = try await server.port()
    try folder.write("sync 5 -1 */photos/??\n", to: "faults")
    #expect(try await seed() == 500)
    #expect(try folder.files(in: "storage/photos") == [])

    try folder.remove("faults")
    #expect((200..<300).contains(try await seed()))
    #expect(try folder.files(in: "storage/photos").count == 1)
  }
}
