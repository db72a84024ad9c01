import Glibc
import TestSupport

extension ClusterTorture {
  /// From its beginning to its end. All processes run afterwards.
  func perform(_ fault: ClusterFault) throws {
    switch fault.kind {
    case .killServers: try killServers()
    case .killStartingServer: try killStartingServers()
    case .killBackend, .killPostmaster, .killStore: try killAgainAndAgain(fault)
    default:
      try begin(fault)
      // At most half of a database's time-out of responses, so that some wait for its end and some do not.
      pause(milliseconds: chance.happens(percent: 20) ? 5000...12_000 : 200...3000)
      if chance.happens(percent: 30), let server = cluster.servers.randomElement(using: &chance) {
        try kill(server)
      }
      try end(fault)
    }
    try cluster.startAll()
  }

  private func kill(_ server: ClusterServer) throws {
    guard server.isRunning else { return }
    // A process that is stopped is killed, too.
    try server.kill()
    report.kills += 1
  }

  private func killServers() throws {
    for _ in 0..<chance.number(2...5) {
      let count = chance.happens(percent: 70) ? 1 : chance.number(2...cluster.servers.count)
      for server in cluster.servers.shuffled(using: &chance).prefix(count) {
        try kill(server)
        if chance.happens(percent: 50) { pause(milliseconds: 0...50) }
      }
      pause(milliseconds: 0...200)
      try cluster.startAll()
      pause(milliseconds: 0...300)
    }
  }

  private func killStartingServers() throws {
    for server in cluster.servers.shuffled(using: &chance).prefix(chance.number(1...2)) {
      try kill(server)
      try server.launch(cluster.store.address)
      pause(milliseconds: 0...200)
      try kill(server)
    }
  }

  private func killAgainAndAgain(_ fault: ClusterFault) throws {
    for _ in 0..<chance.number(1...3) {
      switch fault.kind {
      case .killBackend:
        guard let backend = try cluster.database.backends().randomElement(using: &chance) else { return }
        Glibc.kill(backend, SIGKILL)
      case .killPostmaster: try cluster.database.kill()
      default: try cluster.store.kill()
      }
      report.kills += 1
      if chance.happens(percent: 30), let server = cluster.servers.randomElement(using: &chance) { try kill(server) }
      pause(milliseconds: 0...500)
      try cluster.startAll()
      pause(milliseconds: 100...800)
    }
  }

  private func begin(_ fault: ClusterFault) throws {
    let servers = cluster.servers
    let some = servers.shuffled(using: &chance).prefix(chance.number(1...servers.count))
    switch fault.kind {
    case .stopServers: for server in some { server.signal(SIGSTOP) }
    case .stopDatabase: cluster.database.signalAll(SIGSTOP)
    case .stopBackend:
      guard let backend = try cluster.database.backends().randomElement(using: &chance) else { return }
      Glibc.kill(backend, SIGSTOP)
    case .stopStore: cluster.store.signal(SIGSTOP)
    case .cutDatabase, .cutStore, .cutBoth: cut(fault, some)
    case .database(let mode, let ofOne):
      for server in ofOne ? servers.prefix(1) : servers[...] { server.databaseProxy.mode = mode }
    case .store(let mode): for server in servers { server.storeProxy.mode = mode }
    case .network:
      let server = servers.randomElement(using: &chance)
      server?.databaseProxy.mode = .hold
      server?.storeProxy.mode = .hold
    case .fullBucket: try cluster.store.setQuota(1)
    case .fullDisk: try SmallDisk.fill(cluster.database.filler)
    default: break
    }
  }

  private func cut(_ fault: ClusterFault, _ servers: ArraySlice<ClusterServer>) {
    for _ in 0..<chance.number(3...20) {
      for server in servers {
        if case .cutStore = fault.kind {} else { server.databaseProxy.cut() }
        if case .cutDatabase = fault.kind {} else { server.storeProxy.cut() }
      }
      pause(milliseconds: 5...150)
    }
  }

  private func end(_ fault: ClusterFault) throws {
    switch fault.kind {
    case .stopServers: for server in cluster.servers { server.signal(SIGCONT) }
    case .stopDatabase, .stopBackend: cluster.database.signalAll(SIGCONT)
    case .stopStore: cluster.store.signal(SIGCONT)
    case .database, .store, .network:
      for server in cluster.servers {
        server.databaseProxy.mode = .pass
        server.storeProxy.mode = .pass
      }
    case .fullBucket: try cluster.store.setQuota(nil)
    case .fullDisk: unlink(cluster.database.filler)
    default: break
    }
  }
}
