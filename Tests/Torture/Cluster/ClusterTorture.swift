import Foundation
import Glibc
import TestSupport

/// Puts a cluster through crashes and faults of all of its parts, and looks after each whether everything that it
/// acknowledged is there, and everything else either wholly or not at all.
public final class ClusterTorture {
  /// What is to be done with which program.
  public struct Settings: Sendable {
    /// `selfie-server-cluster`.
    public var program: String
    /// The script that is the object store.
    public var store: String
    /// Everything goes below it; it must not be there yet.
    public var folder: String
    public var seed: UInt64
    public var kills = 300
    /// Rounds with a fault that is no kill.
    public var rounds = 60
    public var servers = 3
    /// Connections at once.
    public var visitors = 4
    /// What is drawn from.
    public var faults = ClusterFault.all

    public init(program: String, store: String, folder: String, seed: UInt64) {
      self.program = program
      self.store = store
      self.folder = folder
      self.seed = seed
    }
  }

  /// How it went.
  public struct Report: Sendable {
    /// Processes that were killed.
    public internal(set) var kills = 0
    public internal(set) var rounds = 0
    public internal(set) var tally = Tally()
    /// By kind of fault or kill.
    public internal(set) var roundsOf: [String: Int] = [:]
    public internal(set) var killsOf: [String: Int] = [:]
    public internal(set) var refusalsOf: [String: Int] = [:]
    /// Seconds from the ends of faults until all servers were ready.
    public internal(set) var recoveries: [Double] = []
  }

  /// A server may have no time for so many requests in a row when a fault is over: its connections to the database come
  /// back after 10 s at the latest.
  private static let maxRetries = 60

  let settings: Settings
  let cluster: Cluster
  let crowd: Crowd
  var chance: SplitMix64
  var report = Report()
  private let look: ClusterLook
  private let progress: (String) -> Void
  /// What is to be drawn before anything comes again.
  private var kills: [ClusterFault] = []
  private var faults: [ClusterFault] = []

  /// - Parameter progress: is told now and then how far it is.
  public init(_ settings: Settings, progress: @escaping (String) -> Void = { _ in }) throws {
    self.settings = settings
    self.progress = progress
    cluster = try Cluster(settings)
    look = ClusterLook(cluster: cluster)
    crowd = Crowd(count: settings.visitors, seed: settings.seed)
    chance = SplitMix64(seed: settings.seed)
  }

  /// Does all of it; blocks.
  ///
  /// - Throws: the first ``Violation``; the folder is as it was then.
  public func run() throws -> Report {
    do {
      while let fault = next() { try round(fault) }
      progress("the last look")
      try look.checkSweeps()
      try verify(all: true)
      try look.check()
      try cluster.stop()
    } catch {
      cluster.database.keep()
      throw error
    }
    report.tally = crowd.tally
    return report
  }

  /// Each once before any twice, and of kills and other faults about as many as are still to be done.
  private func next() -> ClusterFault? {
    let possible = settings.faults.filter { getuid() == 0 || !$0.needsRoot }
    if kills.isEmpty {
      // What goes wrong most often.
      let often = possible.filter(\.isKill).flatMap { $0.isOfServers ? [$0, $0, $0] : [$0] }
      kills = often.shuffled(using: &chance)
    }
    if faults.isEmpty { faults = possible.filter { !$0.isKill }.shuffled(using: &chance) }
    let (killsLeft, roundsLeft) = (max(0, settings.kills - report.kills), max(0, settings.rounds - report.rounds))
    let killRounds = kills.isEmpty ? 0 : (killsLeft + 3) / 4
    let faultRounds = faults.isEmpty ? 0 : roundsLeft
    guard killRounds + faultRounds > 0 else { return nil }
    return chance.number(1...(killRounds + faultRounds)) <= killRounds ? kills.removeLast() : faults.removeLast()
  }

  private func round(_ fault: ClusterFault) throws {
    let (killsBefore, refusalsBefore) = (report.kills, crowd.refusals)
    do {
      let stage = Stage(fault: fault)
      let port = cluster.port
      try crowd.inParallel({ $0.visit(port: port, stage) }) {
        defer { stage.end() }
        pause(milliseconds: 50...300)
        try perform(fault)
        pause(milliseconds: 50...400)
      }
      report.recoveries.append(try cluster.awaitReady())
      try cluster.awaitQuiet()
      try verify(all: false)
      try look.check()
    } catch let violation as Violation {
      throw Violation("around the fault \"\(fault)\": \(violation)")
    }
    if !fault.isKill { report.rounds += 1 }
    report.roundsOf[fault.description, default: 0] += 1
    report.killsOf[fault.description, default: 0] += report.kills - killsBefore
    report.refusalsOf[fault.description, default: 0] += crowd.refusals - refusalsBefore
    progress(
      "\(report.kills) kills, \(report.rounds) rounds of faults, \(crowd.tally.acknowledgedInAll) writes acknowledged: "
        + "\(fault)")
  }

  private func verify(all: Bool) throws {
    try crowd.verify(cluster.port, wasRestarted: true, all: all, maxRetries: Self.maxRetries)
  }

  func pause(milliseconds: ClosedRange<Int>) { usleep(UInt32(chance.number(milliseconds)) * 1000) }
}
