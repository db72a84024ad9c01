import Glibc
import TestSupport

/// Puts a cluster through crashes and faults of all of its parts, and looks after each whether everything that it
/// acknowledged is there, and everything else either wholly or not at all.
package final class ClusterTorture {
  /// A server may have no time for so many requests in a row when a fault is over: its connections to the database come
  /// back after 10 s at the latest.
  private static let maxRetries = 60

  private static let servers = 3
  /// Connections at once.
  private static let visitors = 4

  let cluster: Cluster
  let crowd: Crowd
  var chance: SplitMix64
  var report = Torture.Report()
  private let kills: Int
  private let rounds: Int
  /// What is drawn from.
  private let all: [ClusterFault]
  private let look: ClusterLook
  private let progress: (String) -> Void
  /// What is to be drawn before anything comes again.
  private var killsToDraw: [ClusterFault] = []
  private var faultsToDraw: [ClusterFault] = []

  /// - Parameters:
  ///   - program: `selfie-server-cluster`.
  ///   - store: the script that is the object store.
  ///   - folder: everything goes below it; it must not be there yet.
  ///   - rounds: with a fault that is no kill.
  ///   - faults: what is drawn from.
  ///   - progress: is told now and then how far it is.
  package init(
    program: String, store: String, folder: String, seed: UInt64, kills: Int = 300, rounds: Int = 60,
    faults: [ClusterFault] = ClusterFault.all, progress: @escaping (String) -> Void
  ) throws {
    (self.kills, self.rounds, self.progress) = (kills, rounds, progress)
    all = faults.filter { getuid() == 0 || !$0.needsRoot }
    cluster = try Cluster(program: program, store: store, folder: folder, seed: seed, serverCount: Self.servers)
    look = ClusterLook(cluster: cluster)
    crowd = Crowd(count: Self.visitors, seed: seed)
    chance = SplitMix64(seed: seed)
  }

  /// Does all of it; blocks.
  ///
  /// - Throws: the first ``Violation``; the folder is as it was then.
  package func run() throws -> Torture.Report {
    do {
      while let fault = next() { try round(fault) }
      progress("the last look")
      try look.checkSweeps()
      try serveInPeace()
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
    if killsToDraw.isEmpty {
      // What goes wrong most often.
      let often = all.filter(\.isKill).flatMap { $0.isOfServers ? [$0, $0, $0] : [$0] }
      killsToDraw = often.shuffled(using: &chance)
    }
    if faultsToDraw.isEmpty { faultsToDraw = all.filter { !$0.isKill }.shuffled(using: &chance) }
    let killRounds = killsToDraw.isEmpty ? 0 : (max(0, kills - report.kills) + 3) / 4
    let faultRounds = faultsToDraw.isEmpty ? 0 : max(0, rounds - report.faultRounds)
    guard killRounds + faultRounds > 0 else { return nil }
    let isKill = chance.number(1...(killRounds + faultRounds)) <= killRounds
    return isKill ? killsToDraw.removeLast() : faultsToDraw.removeLast()
  }

  private func round(_ fault: ClusterFault) throws {
    let (killsBefore, refusalsBefore) = (report.kills, crowd.refusals)
    do {
      let stage = Stage(clusterFault: fault)
      let port = cluster.port
      try crowd.inParallel({ $0.visit(port: port, stage) }) {
        defer { stage.end() }
        pause(milliseconds: 50...300)
        try perform(fault)
        pause(milliseconds: 50...400)
      }
      report.waits.append(try cluster.awaitReady())
      try cluster.awaitQuiet()
      try verify(all: false)
      try look.check()
    } catch let violation as Violation {
      throw Violation("around the fault \"\(fault)\": \(violation)")
    }
    if !fault.isKill { report.faultRounds += 1 }
    report.rounds[fault.description, default: 0] += 1
    report.killsOf[fault.description, default: 0] += report.kills - killsBefore
    report.refusals[fault.description, default: 0] += crowd.refusals - refusalsBefore
    progress(
      "\(report.kills) kills, \(report.faultRounds) rounds of faults, \(crowd.tally.acknowledgedInAll) writes acknowledged: "
        + "\(fault)")
  }

  /// Without a fault nothing is refused: what refuses everything loses nothing.
  private func serveInPeace() throws {
    _ = try cluster.awaitReady()
    let stage = Stage()
    let port = cluster.port
    try crowd.inParallel({ $0.visit(port: port, stage) }) {
      defer { stage.end() }
      pause(milliseconds: 2000...3000)
    }
  }

  private func verify(all: Bool) throws {
    try crowd.verify(cluster.port, wasRestarted: true, all: all, maxRetries: Self.maxRetries)
  }

  func pause(milliseconds: ClosedRange<Int>) { usleep(UInt32(chance.number(milliseconds)) * 1000) }
}
