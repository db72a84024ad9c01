import ArgumentParser
import Foundation
import TestSupport
import Torture

/// The command behind `bin/torture`.
@main
struct TortureServer: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bin/torture", abstract: "Kills a server and makes its disk fail, and looks whether anything is lost.",
    discussion: """
      The faults, for --only:\(list(Fault.all))

      With --cluster:\(list(ClusterFault.all))
      """)

  private static func list(_ faults: [some CustomStringConvertible]) -> String {
    faults.map { "\n  \($0)" }.joined()
  }

  @Flag(help: "Three servers with PostgreSQL and an object store.") var cluster = false
  @Option(help: "How many processes to kill.") var kills: UInt32?
  @Option(name: .customLong("faults"), help: "How many rounds with a fault.") var rounds: UInt32?
  @Option(help: "Repeats a run.") var seed: UInt64?
  @Option(help: "The faults whose names contain this text.") var only = ""
  @Option(help: "The program, which bin/torture passes.") var server: String

  private func select<Named: CustomStringConvertible>(from all: [Named]) throws -> [Named] {
    let selected = all.filter { only.isEmpty || $0.description.contains(only) }
    guard !selected.isEmpty else { throw ValidationError("There is no fault \(only).") }
    return selected
  }

  func run() throws {
    let seed = seed ?? UInt64.random(in: 1...UInt64(UInt32.max))
    Self.say("seed \(seed)")
    let checkout = FileManager.default.currentDirectoryPath
    if cluster {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("torture-\(seed)").path
      let faults = try select(from: ClusterFault.all)
      try Self.keeping(folder, seed) {
        let torture = try ClusterTorture(
          program: server, store: "\(checkout)/Tests/ObjectStorageTests/Python/swift_store.py", folder: folder,
          seed: seed, kills: Int(kills ?? 300), rounds: Int(rounds ?? 60), faults: faults, progress: Self.say)
        Self.show(try torture.run())
      }
    } else {
      let faults = try select(from: Fault.all)
      let folder = "\(checkout)/.build/torture-\(seed)"
      try Self.keeping(folder, seed) {
        try Self.tortureServer(
          server, checkout, folder, seed, Int(kills ?? 1000), Int(rounds ?? 100), faults, isWhole: only.isEmpty)
      }
    }
  }

  /// Keeps what is in the folder only if a promise is broken.
  private static func keeping(_ folder: String, _ seed: UInt64, _ body: () throws -> Void) throws {
    do {
      try? FileManager.default.removeItem(atPath: folder)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try body()
      try FileManager.default.removeItem(atPath: folder)
    } catch {
      say("VIOLATION: \(error)\nseed \(seed); everything is kept in \(folder)")
      throw ExitCode.failure
    }
  }

  /// A single server, which keeps everything in its storage folder.
  private static func tortureServer(
    _ server: String, _ checkout: String, _ folder: String, _ seed: UInt64, _ kills: Int, _ rounds: Int,
    _ faults: [Fault], isWhole: Bool
  ) throws {
    var settings = Torture.Settings(
      program: server, faultsLibrary: try FaultsLibrary.build("\(checkout)/Tests/Faults/Faults.c", in: folder),
      folder: "\(folder)/server", seed: seed)
    settings.kills = kills
    settings.rounds = rounds
    settings.faults = faults
    settings.badDays = isWhole ? max(1, rounds / 10) : 0
    settings.asksReadiness = true
    let report = try Torture(settings, progress: say).run()
    show(report)
    // Seconds to the first response: clients try again by then.
    guard report.longestWait < 1 else { throw NotPossible("a start after a crash took a second or more") }
    guard rounds > 0 && isWhole else { return }
    say("\nOn a file system that is really full:")
    settings.folder = "\(folder)/small"
    settings.kills = 0
    settings.rounds = max(1, rounds / 10)
    settings.faults = [.fullDisk]
    settings.badDays = 0
    settings.faultsLibrary = nil
    try FileManager.default.createDirectory(atPath: settings.folder, withIntermediateDirectories: true)
    guard mountSmallDisk(at: settings.folder) else { return say("skipped: only root can mount one") }
    show(try Torture(settings, progress: say).run())
    guard umount2(settings.folder, 0) == 0 else { return say("\(settings.folder) stays mounted") }
  }

  private static func show(_ report: Torture.Report) {
    say("\n\(report.tally.table)\n")
    say(
      "\(report.kills) processes killed, \(report.killsDuringStart) of them during a start; nothing acknowledged was lost"
    )
    if report.badDays > 0 {
      say(
        "\(report.badDays) bad days of an owner: \(report.secondServers) second servers by another mount refused, "
          + "\(report.readOnlyBackups) read-only storages backed up, \(report.backupKills) backups and restores killed, no good "
          + "backup removed")
    }
    if !report.waits.isEmpty {
      let times = [report.medianWait, report.longestWait].map { String(format: "%.3f s", $0) }
      say("until servers were ready again: median \(times[0]), at most \(times[1])")
    }
    say("/readyz told of faults and of their ends \(report.readinessAnswers) times")
    say("servers had no time for \(report.tally.retries) requests, which were sent again")
    say("\n| fault | rounds | processes killed | writes refused |\n|---|---|---|---|")
    for (fault, rounds) in report.rounds.sorted(by: { $0.key < $1.key }) {
      say("| \(fault) | \(rounds) | \(report.killsOf[fault] ?? 0) | \(report.refusals[fault] ?? 0) |")
    }
  }

  /// At once, also where a file takes it.
  private static func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }
}
