import Foundation
import TestSupport
import Testing
import Torture

/// A little of what `bin/torture` does.
@Suite(.timeLimit(.minutes(10))) struct TortureTests {
  private func run(kills: Int, rounds: Int, badDays: Int = 0) async throws -> Torture.Report {
    let folder = try TemporaryFolder()
    let library =
      rounds + badDays > 0 ? try FaultsLibrary.build("\(checkout)/Tests/Faults/Faults.c", in: folder.path) : nil
    var settings = Torture.Settings(
      program: ServerProcess.executable, faultsLibrary: library,
      folder: "\(folder.path)/torture", seed: 1)
    settings.kills = kills
    settings.rounds = rounds
    settings.badDays = badDays
    settings.visitors = 2
    settings.maxAccounts = 2
    settings.haste = 2
    return try await withCheckedThrowingContinuation { [settings] continuation in
      Foundation.Thread.detachNewThread { continuation.resume(with: Result { try Torture(settings).run() }) }
    }
  }

  @Test func `a server that is killed ten times loses nothing that it acknowledged`() async throws {
    let report = try await run(kills: 10, rounds: 0)
    #expect(report.kills >= 10)
    #expect(report.tally.acknowledgedInAll > 0)
  }

  @Test func `whatever fails, clients are told, and the server works on when it is over`() async throws {
    let report = try await run(kills: 0, rounds: Fault.all.count)
    #expect(report.rounds.count == Fault.all.count)
    #expect(!report.refusals.isEmpty)
  }

  @Test func `an owner's bad day costs nothing that was acknowledged, and no good backup`() async throws {
    // Each day goes on with the backups of the day before.
    let report = try await run(kills: 0, rounds: 0, badDays: 2)
    #expect(report.badDays == 2)
    #expect(report.secondServers == (BindMount.isPossible ? 2 : 0))
    #expect(report.readOnlyBackups == (SmallDisk.isPossible ? 2 : 0))
    #expect(report.backupKills >= 10)
  }
}

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
