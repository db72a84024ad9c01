import Glibc
import TestSupport

extension Torture {
  /// Lets the disk fail over and over again.
  func fail() throws {
    // It may have been killed before, with writes in doubt.
    var running = try restart()
    // Each once before any twice.
    var faults: [Fault] = []
    for round in 1...settings.rounds {
      if faults.isEmpty { faults = settings.faults.shuffled(using: &chance) }
      guard let fault = faults.popLast() else { return }
      report.rounds[fault.description, default: 0] += 1
      let before = crowd.refusals
      // Of a write that may be committed, a start decides by the names in `incoming/`: none may be left of earlier faults.
      if !fault.survivesKill {
        try running.server.kill()
        running = try restart()
      }
      let isKilled = chance.happens(percent: 25) && fault.survivesKill
      do {
        if isKilled {
          try crash(running.server, running.port, under: fault)
        } else {
          try recover(running.port, from: fault)
        }
        let isKilledAfterwards = !isKilled && chance.happens(percent: 25)
        if isKilledAfterwards { try running.server.kill() }
        if isKilled || isKilledAfterwards { running = try restart() }
      } catch let violation as Violation {
        throw Violation("under the fault \"\(fault)\": \(violation)")
      }
      report.refusals[fault.description, default: 0] += crowd.refusals - before
      if round % 25 == 0 { progress("\(round) rounds of faults, \(crowd.refusals) writes refused") }
    }
    try running.server.stop()
  }

  /// The fault ends, and the server works on as if nothing had been.
  private func recover(_ port: Int, from fault: Fault) throws {
    let stage = Stage(fault: fault)
    try crowd.inParallel({ $0.visit(port: port, stage) }) {
      defer { stage.end() }
      pause(milliseconds: 10...50)
      stage.turn()
      try fault.begin(subject)
      pause(milliseconds: 50...300)
      let asksReadiness = settings.asksReadiness && fault.isSeenByReadiness && chance.happens(percent: 50)
      let isSeen = try asksReadiness ? isReady(false, port) : true
      try fault.end(subject)
      stage.turn()
      guard isSeen else { throw Violation("/readyz is 200") }
      guard try !asksReadiness || isReady(true, port) else { throw Violation("/readyz is not 200 when it is over") }
      // From here on every request must succeed.
      pause(milliseconds: 50...100)
    }
    try crowd.verify(port, wasRestarted: false)
    try look.check(isSettled: false)
  }

  /// Whether /readyz comes to say so: it tries no more than once a second.
  private func isReady(_ wanted: Bool, _ port: Int) throws -> Bool {
    let client = Client(port: port)
    for _ in 0..<2_000 {
      if try client.send(AppRequest("GET", "/readyz")).status == (wanted ? 200 : 503) {
        report.readinessAnswers += 1
        return true
      }
      usleep(50_000)
    }
    return false
  }

  /// The server is killed while the fault is there.
  private func crash(_ server: Child, _ port: Int, under fault: Fault) throws {
    let stage = Stage(fault: fault)
    try crowd.inParallel({ $0.visit(port: port, stage) }) {
      pause(milliseconds: 10...50)
      stage.turn()
      try fault.begin(subject)
      pause(milliseconds: 50...300)
      stage.announceKill()
      server.signal(SIGKILL)
      stage.end()
    }
    _ = server.end()
    try fault.end(subject)
  }

  private func restart() throws -> (server: Child, port: Int, seconds: Double) {
    let running = try subject.start()
    try look.checkIncoming()
    try crowd.verify(running.port, wasRestarted: true)
    try look.check(isSettled: true)
    return running
  }
}
