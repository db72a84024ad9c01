import Foundation
import Glibc
import TestSupport

/// Puts a server through crashes and disk faults, and looks after each whether everything that it acknowledged is
/// there, and everything else either wholly or not at all.
package final class Torture {
  /// What is to be done with which program.
  package struct Settings: Sendable {
    /// `selfie-server`.
    package var program: String
    /// The library `Faults`; nil where no system call is to fail.
    package var faultsLibrary: String?
    /// What is stored goes below it; it must not be there yet.
    package var folder: String
    package var seed: UInt64
    package var kills = 1000
    /// Rounds with a fault.
    package var rounds = 100
    /// How often what owners meet is tried.
    package var badDays = 0
    /// Whether every other round asks GET /readyz what it thinks; this takes a second or two.
    package var asksReadiness = false
    /// Connections at once.
    package var visitors = 4
    /// Accounts that each of them uses at a time. Each look at them takes as much longer.
    package var maxAccounts = 4
    /// By what the times are divided for which clients are left to themselves.
    package var haste: UInt32 = 1
    /// The faults that are drawn from.
    package var faults = Fault.all

    package init(program: String, faultsLibrary: String?, folder: String, seed: UInt64) {
      self.program = program
      self.faultsLibrary = faultsLibrary
      self.folder = folder
      self.seed = seed
    }
  }

  /// How it went.
  package struct Report: Sendable {
    /// Processes that were killed.
    package internal(set) var kills = 0
    /// Of these, during a start.
    package internal(set) var killsDuringStart = 0
    package internal(set) var tally = Tally()
    /// Seconds from starts after a crash to their first responses; in a cluster, from the ends of faults until all servers
    /// were ready.
    package internal(set) var waits: [Double] = []
    /// By fault.
    package internal(set) var rounds: [String: Int] = [:]
    package internal(set) var killsOf: [String: Int] = [:]
    package internal(set) var refusals: [String: Int] = [:]
    /// Rounds with a fault that is no kill.
    package internal(set) var faultRounds = 0
    /// How often /readyz has told a fault, or that it was over.
    package internal(set) var readinessAnswers = 0

    package internal(set) var badDays = 0
    /// Servers that made backups, and restores, that were killed.
    package internal(set) var backupKills = 0
    /// Servers that were started by another mount while one ran, and backups of read-only storages: where those can be
    /// mounted.
    package internal(set) var (secondServers, readOnlyBackups) = (0, 0)

    package var longestWait: Double { waits.max() ?? 0 }
    package var medianWait: Double { waits.isEmpty ? 0 : waits.sorted()[waits.count / 2] }
  }

  let settings: Settings
  let subject: Subject
  let crowd: Crowd
  var look: StorageLook
  var chance: SplitMix64
  var report = Report()
  let progress: (String) -> Void

  /// - Parameter progress: is told now and then how far it is.
  package init(_ settings: Settings, progress: @escaping (String) -> Void = { _ in }) throws {
    self.settings = settings
    self.progress = progress
    subject = Subject(program: settings.program, faults: settings.faultsLibrary, folder: settings.folder)
    try FileManager.default.createDirectory(
      atPath: subject.storage, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    look = StorageLook(storage: subject.storage)
    chance = SplitMix64(seed: settings.seed)
    crowd = Crowd(count: settings.visitors, seed: settings.seed, maxAccounts: settings.maxAccounts)
  }

  /// Does all of it; blocks.
  ///
  /// - Throws: the first ``Violation``; the folder is as it was then.
  package func run() throws -> Report {
    try crash()
    if settings.rounds > 0 { try fail() }
    try spendBadDays()
    try finish()
    report.tally = crowd.tally
    return report
  }

  /// The last look, at everything.
  private func finish() throws {
    let (server, port, _) = try subject.start()
    try crowd.verify(port, wasRestarted: true, all: true)
    try look.check(isSettled: true, all: true)
    try server.stop()
    try look.checkIncoming()
    try subject.checkByDoctor(all: true, allowed: [])
  }

  /// Leaves the clients to themselves for a while.
  func pause(milliseconds: ClosedRange<Int>) {
    usleep(UInt32(chance.number(milliseconds)) * 1000 / settings.haste)
  }
}
