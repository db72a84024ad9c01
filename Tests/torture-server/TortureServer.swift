import Foundation
import TestSupport
import Torture

/// The command behind `bin/torture`.
@main
struct TortureServer {
  static func main() {
    var kills = 1000
    var rounds = 100
    var seed = UInt64.random(in: 1...UInt64(UInt32.max))
    var only = ""
    var server: String?
    var arguments = CommandLine.arguments.dropFirst()
    while let name = arguments.popFirst() {
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
    let faults = Fault.all.filter { only.isEmpty || $0.description.contains(only) }
    guard let server, !faults.isEmpty else { misuse() }
    say("seed \(seed)")
    let checkout = FileManager.default.currentDirectoryPath
    let folder = "\(checkout)/.build/torture-\(seed)"
    do {
      try? FileManager.default.removeItem(atPath: folder)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      var settings = Torture.Settings(
        program: server, migrations: "\(checkout)/Migrations",
        faultsLibrary: try FaultsLibrary.build("\(checkout)/Tests/Faults/Faults.c", in: folder),
        folder: "\(folder)/server", seed: seed)
      settings.kills = kills
      settings.rounds = rounds
      settings.faults = faults
      settings.asksReadiness = true
      let report = try Torture(settings, progress: say).run()
      show(report)
      guard report.slowestStart < longestStart else { throw SlowStart() }
      if rounds > 0 && only.isEmpty {
        say("\nOn a file system that is really full:")
        settings.folder = "\(folder)/small"
        settings.kills = 0
        settings.rounds = max(1, rounds / 10)
        settings.faults = [.fullDisk]
        settings.faultsLibrary = nil
        try onSmallDisk(settings.folder) { show(try Torture(settings, progress: say).run()) }
      }
      try FileManager.default.removeItem(atPath: folder)
    } catch {
      say("VIOLATION: \(error)\nseed \(seed); everything is kept in \(folder)")
      exit(1)
    }
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
    say("usage: bin/torture [--kills N] [--faults N] [--seed S] [--only TEXT]\n\nThe faults, for --only:")
    for fault in Fault.all { say("  \(fault)") }
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

  /// At once, also where a file takes it.
  private static func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }
}
