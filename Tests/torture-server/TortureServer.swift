import Foundation
import TestSupport
import Torture

/// The command behind `bin/torture`.
@main
struct TortureServer {
  static func main() {
    var kills: Int?
    var rounds: Int?
    var isCluster = false
    var seed = UInt64.random(in: 1...UInt64(UInt32.max))
    var only = ""
    var server: String?
    var arguments = CommandLine.arguments.dropFirst()
    while let name = arguments.popFirst() {
      if name == "--cluster" {
        isCluster = true
        continue
      }
      guard let value = arguments.popFirst() else { misuse() }
      switch name {
      case "--kills": kills = number(value)
      case "--faults": rounds = number(value)
      case "--seed": seed = UInt64(number(value))
      case "--only": only = value
      case "--server": server = value
      default: misuse()
      }
    }
    guard let server else { misuse() }
    say("seed \(seed)")
    let checkout = FileManager.default.currentDirectoryPath
    if isCluster {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("torture-\(seed)").path
      var settings = ClusterTorture.Settings(
        program: server, store: "\(checkout)/Tests/ObjectStorageTests/Python/swift_store.py", folder: folder,
        seed: seed)
      settings.kills = kills ?? settings.kills
      settings.rounds = rounds ?? settings.rounds
      settings.faults = settings.faults.filter { only.isEmpty || $0.description.contains(only) }
      guard !settings.faults.isEmpty else { misuse() }
      keeping(folder, seed) { show(try ClusterTorture(settings, progress: say).run()) }
    } else {
      let faults = Fault.all.filter { only.isEmpty || $0.description.contains(only) }
      guard !faults.isEmpty else { misuse() }
      let folder = "\(checkout)/.build/torture-\(seed)"
      keeping(folder, seed) {
        try tortureServer(server, checkout, folder, seed, kills ?? 1000, rounds ?? 100, faults, isWhole: only.isEmpty)
      }
    }
  }

  /// Keeps what is in the folder only if a promise is broken.
  private static func keeping(_ folder: String, _ seed: UInt64, _ body: () throws -> Void) {
    do {
      try? FileManager.default.removeItem(atPath: folder)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try body()
      try FileManager.default.removeItem(atPath: folder)
    } catch {
      say("VIOLATION: \(error)\nseed \(seed); everything is kept in \(folder)")
      exit(1)
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
    settings.asksReadiness = true
    let report = try Torture(settings, progress: say).run()
    show(report)
    guard report.slowestStart < longestStart else { throw SlowStart() }
    guard rounds > 0 && isWhole else { return }
    say("\nOn a file system that is really full:")
    settings.folder = "\(folder)/small"
    settings.kills = 0
    settings.rounds = max(1, rounds / 10)
    settings.faults = [.fullDisk]
    settings.faultsLibrary = nil
    try onSmallDisk(settings.folder) { show(try Torture(settings, progress: say).run()) }
  }

  /// Seconds to the first response: clients try again by then.
  private static let longestStart = 1.0

  private struct SlowStart: Error, CustomStringConvertible {
    var description: String { "a start after a crash took a second or more" }
  }

  /// Room for what the clients keep, and little enough to be filled in no time.
  private static let smallDisk = "size=256m,mode=0700"

  /// Mounts a small file system there meanwhile, which only root can do.
  private static func onSmallDisk(_ folder: String, _ body: () throws -> Void) throws {
    func run(_ arguments: [String]) throws -> Bool {
      try Program(
        "/usr/bin/env", arguments, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], output: 2, errors: 2
      )
      .end() == 0
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    guard getuid() == 0, try run(["mount", "-t", "tmpfs", "-o", smallDisk, "tmpfs", folder]) else {
      return say("skipped: only root can mount one")
    }
    try body()
    guard try run(["umount", folder]) else { return say("\(folder) stays mounted") }
  }

  private static func number(_ text: String) -> Int {
    guard let number = UInt32(text) else { misuse() }
    return Int(number)
  }

  private static func misuse() -> Never {
    say("usage: bin/torture [--cluster] [--kills N] [--faults N] [--seed S] [--only TEXT]\n\nThe faults, for --only:")
    for fault in Fault.all { say("  \(fault)") }
    say("\nWith --cluster:")
    for fault in ClusterFault.all { say("  \(fault)") }
    exit(2)
  }

  private static func show(_ report: Torture.Report) {
    say("\n\(report.tally.table)\n")
    say("\(report.kills) kills, \(report.killsDuringStart) of them during a start; nothing acknowledged was lost")
    if report.kills > 0 {
      let times = [report.medianStart, report.slowestStart].map { String(format: "%.3f s", $0) }
      say("start after a crash to the first answer: median \(times[0]), at most \(times[1])")
    }
    guard !report.rounds.isEmpty else { return }
    say("/readyz told of faults and of their ends \(report.readinessAnswers) times")
    say("\n| fault | rounds | writes refused |\n|---|---|---|")
    for (fault, rounds) in report.rounds.sorted(by: { $0.key < $1.key }) {
      say("| \(fault) | \(rounds) | \(report.refusals[fault] ?? 0) |")
    }
  }

  private static func show(_ report: ClusterTorture.Report) {
    say("\n\(report.tally.table)\n")
    say("\(report.kills) processes killed, \(report.rounds) rounds of faults; nothing acknowledged was lost")
    let recoveries = report.recoveries.sorted()
    if let slowest = recoveries.last {
      let times = [recoveries[recoveries.count / 2], slowest].map { String(format: "%.1f s", $0) }
      say("from the end of a fault until all servers were ready: median \(times[0]), at most \(times[1])")
    }
    say("then servers had no time for \(report.tally.retries) requests, which were sent again")
    say("\n| fault | rounds | processes killed | writes refused |\n|---|---|---|---|")
    for (fault, rounds) in report.roundsOf.sorted(by: { $0.key < $1.key }) {
      say("| \(fault) | \(rounds) | \(report.killsOf[fault] ?? 0) | \(report.refusalsOf[fault] ?? 0) |")
    }
  }

  /// At once, also where a file takes it.
  private static func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }
}
