import Glibc

extension Torture {
  /// Kills the server over and over again.
  func crash() throws {
    // What a crash may leave, and the next start puts right.
    let left: Set = ["stale_upload", "removal_pending"]
    while report.kills < settings.kills {
      try crashOnce()
      let isLast = report.kills >= settings.kills
      try subject.checkByDoctor(all: isLast || report.kills % 25 == 0, allowed: left)
      if report.kills % 25 == 0 {
        progress("\(report.kills) kills, \(crowd.tally.acknowledgedInAll) writes acknowledged")
      }
    }
  }

  /// - Parameters:
  ///   - settings: of the server, besides the usual ones.
  ///   - milliseconds: that it may run.
  func crashOnce(_ settings: [String: String] = [:], after milliseconds: ClosedRange<Int> = 5...300) throws {
    if chance.happens(percent: 20) { try crashStarting() }
    let (server, port, seconds) = try subject.start(settings)
    // The first start of all makes the storage.
    if report.kills > 0 { report.waits.append(seconds) }
    try look.checkIncoming()
    try crowd.verify(port, wasRestarted: true)
    try look.check(isSettled: true)

    let stage = Stage()
    try crowd.inParallel({ $0.visit(port: port, stage) }) {
      defer { stage.end() }
      pause(milliseconds: milliseconds)
      stage.announceKill()
      try server.kill()
    }
    report.kills += 1
    try look.check(isSettled: false)
  }

  /// Kills a server that is about to start.
  private func crashStarting() throws {
    let server = try subject.launch()
    usleep(UInt32(chance.number(0...60)) * 1000)
    try server.kill()
    report.kills += 1
    report.killsDuringStart += 1
  }
}
