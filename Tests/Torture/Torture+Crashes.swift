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

  private func crashOnce() throws {
    if chance.happens(percent: 20) { try crashStarting() }
    let (server, port, seconds) = try subject.start()
    // The first start of all makes the storage.
    if report.kills > 0 { report.starts.append(seconds) }
    try look.checkIncoming()
    try crowd.verify(port, wasRestarted: true)
    try look.check(isSettled: true)

    let stage = Stage()
    try crowd.inParallel({ $0.visit(port: port, stage) }) {
      pause(milliseconds: 5...300)
      stage.announceKill()
      server.signal(SIGKILL)
      stage.end()
    }
    let status = server.end()
    guard status == -SIGKILL else { throw Violation("the server ended by itself, with \(status)") }
    report.kills += 1
    try look.check(isSettled: false)
  }

  /// Kills a server that is about to start.
  private func crashStarting() throws {
    let (server, _) = try subject.launch()
    usleep(UInt32(chance.number(0...60)) * 1000)
    server.signal(SIGKILL)
    let status = server.end()
    guard status == -SIGKILL else { throw Violation("the server ended by itself at its start, with \(status)") }
    report.kills += 1
    report.killsDuringStart += 1
  }
}
