import CLinux
import Glibc
import HTTPMessages
package import Platform
import Synchronization

/// An HTTP/1.1 server: a listening socket, and threads with an event loop each. `HTTPConnection` has the protocol, and
/// `Listener` the listening socket.
package final class Server: Sendable {
  private let limits: Limits
  private let memory: MemoryBudget
  private let descriptors: DescriptorBudget
  private let responder: Responder
  private let maxConnectionsPerLoop: Int
  /// For new connections; nil for plain HTTP.
  private let tls: Monitor<TLSContext?>
  let loops: [EventLoop]
  private let state: Monitor<State>
  private let spareDescriptor = Monitor<OpenFile?>(nil)

  /// Its monitor is also notified when a connection closes while the server stops.
  private struct State {
    var listener: Listener
    /// The connections of each loop that runs.
    var tables: [LoopBound<ConnectionTable>] = []
    var threads: [Thread] = []
    var isStopping = false
  }

  /// Clients cannot connect before `start`.
  ///
  /// - Parameters:
  ///   - loopCount: threads that serve; one for each core is best.
  ///   - memory: counts what clients hold; the application counts with the same one.
  ///   - descriptors: those that connections may have; files of the application have the others.
  ///   - tls: nil to speak plain HTTP.
  package init(
    listener: Listener, tls: TLSContext? = nil, loopCount: Int = Server.coreCount, limits: Limits = Limits(),
    memory: MemoryBudget = MemoryBudget(), descriptors: DescriptorBudget = .ofThisProcess, responder: Responder
  ) throws {
    state = Monitor(State(listener: listener))
    self.limits = limits
    self.memory = memory
    self.descriptors = descriptors
    self.responder = responder
    self.tls = Monitor(tls)
    maxConnectionsPerLoop = max(1, limits.maxConnections / max(1, loopCount))
    loops = try (0..<max(1, loopCount)).map { _ in try EventLoop() }
  }

  /// The number of cores this process may use.
  package static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  private var listener: Listener { state.withLock(\.listener) }

  /// Connections open now, on all loops.
  var connectionCount: Int { loops.reduce(0) { $0 + $1.load.load(ordering: .relaxed) } }

  package var statistics: ServerStatistics { ServerStatistics(loops: loops.map(\.counters)) }

  /// Starts to serve, on threads of its own.
  package func start() throws {
    try listener.open()
    spareDescriptor.withLock { $0 = try? OpenFile("/dev/null", O_RDONLY) }
    for (index, loop) in loops.enumerated() {
      let thread = try Thread(named: "http-\(index)") { [self] in serve(on: loop) }
      state.withLock { $0.threads.append(thread) }
    }
    descriptors.setRoomMaker(of: self) { [weak self] in self?.makeRoom(mayWait: $0) ?? false }
    // Any loop may be given the first connection, so all of them must be running before it.
    state.wait { $0.tables.count == loops.count ? () : nil }
    guard loops[0].poller.addListener(listener.descriptor, token: ConnectionTable.listenerToken) else {
      let error = SystemError("epoll_ctl")
      stop()
      throw error
    }
  }

  /// Stops the server: accepts no more connections, lets current requests finish for at most `limits.drainTimeout`
  /// milliseconds, closes every connection and waits for the threads. Blocks meanwhile.
  package func stop() {
    state.withLock { $0.isStopping = true }
    descriptors.setRoomMaker(of: self, nil)
    // Before the listener is shut: by the time that clients are refused, every response of this loop ends its connection.
    forEachTable { [self] table in
      table.drain { [self] in state.withLock { _ in state.notifyAll() } }
    }
    loops[0].execute { [self] in
      loops[0].poller.remove(listener.descriptor)
      listener.shut()
    }
    let deadline = monotonicMilliseconds() + limits.drainTimeout
    // Until every loop has come to this, one more connection may be accepted, which is counted only then.
    if state.withLock({ !$0.threads.isEmpty }) { _ = loopsRespond(within: limits.drainTimeout) }
    state.wait(until: deadline) { [self] _ in connectionCount == 0 ? () : nil }
    forEachTable { $0.closeAll() }
    for loop in loops { loop.stop() }
    for thread in state.withLock(\.threads) { thread.join() }
    state.withLock { $0.threads = [] }
  }

  /// Refuses new connections, or accepts them again. Those that are open go on. The server must have been started.
  package func setAccepting(_ accepts: Bool) throws(ConfigurationError) {
    try state.withLock { (state) throws(ConfigurationError) in
      guard !state.isStopping else { return }
      if accepts {
        try state.listener.open()
        _ = loops[0].poller.addListener(state.listener.descriptor, token: ConnectionTable.listenerToken)
      } else {
        guard !state.listener.isShared else {
          throw ConfigurationError("The service manager keeps the port open, so the server cannot refuse connections.")
        }
        loops[0].poller.remove(state.listener.descriptor)
        state.listener.shut()
        // Nobody else gets a port that the system chose.
        state.listener = try Listener(host: state.listener.host, port: state.listener.port)
      }
    }
  }

  /// Uses another certificate for the connections from now on. Those that are open keep theirs.
  ///
  /// - Precondition: the server speaks TLS already.
  package func replaceTLS(_ context: TLSContext) {
    tls.withLock { current in
      precondition(current != nil, "a server that speaks plain HTTP cannot change that while it runs")
      current = context
    }
  }

  /// Whether every event loop does what it is given within so many milliseconds. Blocks meanwhile. The server must have
  /// been started.
  package func loopsRespond(within milliseconds: Int64) -> Bool {
    let waitingCount = Monitor(loops.count)
    for loop in loops {
      loop.execute {
        waitingCount.withLock { $0 -= 1 }
        waitingCount.notifyAll()
      }
    }
    return waitingCount.wait(until: monotonicMilliseconds() + milliseconds) { $0 == 0 ? true : nil } ?? false
  }

  private func forEachTable(_ body: @escaping @Sendable (ConnectionTable) -> Void) {
    for table in state.withLock(\.tables) {
      table.loop.execute { body(table.value) }
    }
  }

  // MARK: - On the loops' threads

  private func serve(on loop: EventLoop) {
    loop.adoptCurrentThread()
    let table = ConnectionTable(loop: loop, limits: limits, memory: memory, responder: responder)
    state.withLock { $0.tables.append(LoopBound(table, loop: loop)) }
    state.notifyAll()
    loop.run(
      turn: { events, isBehind in table.turn(events, isBehind: isBehind, accept: accept) },
      endOfTurn: responder.endOfTurn,
      timeout: { table.timeout })
  }

  /// Connections accepted in one turn of the loop, so that a burst of new clients does not keep the connected ones
  /// waiting: 64 take about a millisecond. The others stay in the kernel's backlog, and the next turn accepts more.
  private static let maxAccepted = 64

  private func accept() {
    let listener = listener
    for _ in 0..<Self.maxAccepted {
      do throws(SystemError) {
        guard let (descriptor, peer) = try listener.accept() else { return }
        distribute(descriptor, peer: peer)
        // One at a time, since those on their way to another loop use up the reserve.
        guard descriptors.allows(descriptor) else { return }
      } catch {
        if error.number == EMFILE && descriptors.makeRoom(mayWait: false) { continue }
        if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.number) { return acceptAndRefuse() }
        // One client was gone. Others may be waiting.
      }
    }
  }

  /// Gives a new connection to the loop that has the fewest, and of equal ones to the one that has most without a
  /// request, which can give way.
  private func distribute(_ descriptor: Int32, peer: String) {
    loops[0].counters.add(to: .accepted)
    let ranks = loops.map { loop in
      let idle = ConnectionState.allCases.lazy.filter(\.isWithoutRequest).reduce(0) { $0 + loop.counters[$1] }
      return (loop.load.load(ordering: .relaxed), -idle)
    }
    guard let index = ranks.indices.min(by: { ranks[$0] < ranks[$1] }),
      let table = state.withLock({ $0.tables.first { $0.loop === loops[index] } })
    else {
      close(descriptor)
      return
    }
    let loop = loops[index]
    loop.countOpened(isOverCapacity: false)
    if loop.isCurrent {
      admit(descriptor, peer: peer, to: table.value)
    } else {
      loop.execute { [self] in admit(descriptor, peer: peer, to: table.value) }
    }
  }

  /// Adds a new connection to its loop, or refuses it if there is no room and none can be made. Called on the loop's
  /// thread.
  private func admit(_ descriptor: Int32, peer: String, to table: ConnectionTable) {
    let loop = table.loop
    let tls = tls.withLock { $0 }
    let hasRoom = loop.load.load(ordering: .relaxed) <= maxConnectionsPerLoop && descriptors.allows(descriptor)
    if hasRoom || makeRoom(in: table, for: descriptor), let descriptor = descriptors.lowered(descriptor) {
      return table.add(Socket(owning: descriptor), peer: peer, tls: tls)
    }
    loop.counters.add(to: .refused)
    loop.countClosed(isOverCapacity: false)
    // Only a handshake would let the client read a refusal, and it takes more than there is.
    if tls != nil { return _ = close(descriptor) }
    let refused = loops.reduce(0) { $0 + $1.refusedClients.load(ordering: .relaxed) }
    if refused >= limits.maxRefusedClients { return refuseAtOnce(descriptor, peer: peer) }
    loop.countOpened(isOverCapacity: true)
    table.add(Socket(owning: descriptor), peer: peer, isOverCapacity: true)
  }

  private func makeRoom(in table: ConnectionTable, for descriptor: Int32) -> Bool {
    table.makeRoom() || (!descriptors.allows(descriptor) && descriptors.makeRoom(mayWait: false))
  }

  /// Lets connections of all loops give way for a descriptor.
  ///
  /// - Parameter mayWait: false on an event loop. Then only its own connections count for the result, and those of other
  ///   loops give way soon.
  private func makeRoom(mayWait: Bool) -> Bool {
    let tables = state.withLock(\.tables)
    if let own = tables.first(where: \.loop.isCurrent), own.value.makeRoom() { return true }
    let answers = Monitor((waiting: tables.count, hasMadeRoom: false))
    for table in tables where !table.loop.isCurrent {
      table.loop.execute {
        let hasMadeRoom = table.value.makeRoom()
        answers.withLock { $0 = ($0.waiting - 1, $0.hasMadeRoom || hasMadeRoom) }
        answers.notifyAll()
      }
    }
    guard mayWait else { return false }
    let deadline = monotonicMilliseconds() &+ Self.maxRoomTime
    return answers.wait(until: deadline) { $0.hasMadeRoom || $0.waiting == 0 ? $0.hasMadeRoom : nil } ?? false
  }

  /// Milliseconds.
  private static let maxRoomTime: Int64 = 1000

  /// Responds 503 and closes the connection, though the client may lose the response if it is sending.
  private func refuseAtOnce(_ descriptor: Int32, peer: String) {
    var record = responder.responseSent.map { _ in RequestRecord(peer: peer) }
    var writer = ResponseWriter()
    let request = RefusedRequest(head: nil, peer: peer, context: record?.context)
    let response = responder.refuse(.serviceUnavailable, HTTPConnection.overCapacity, request)
    let bytes = writer.head(of: response, version: .http11, keepsAlive: false) + (response.body.content ?? [])
    let socket = Socket(owning: descriptor)
    var sent = 0
    if case .moved(let count) = bytes.withUnsafeBytes({ socket.write($0) }) { sent = count }
    socket.endWriting()
    record?.status = response.status
    record?.bytesSent = Int64(sent)
    record?.end(isComplete: sent == bytes.count)
    if let record { responder.responseSent?(record) }
    // Closing the socket would reset the connection otherwise.
    _ = socket.discard()
  }

  /// Out of descriptors: closes the spare one, which makes room to accept one connection and refuse it. A connection
  /// that stays in the backlog would wake the loop again and again.
  private func acceptAndRefuse() {
    spareDescriptor.withLock { spare in
      spare = nil
      if let (descriptor, peer) = try? listener.accept() {
        loops[0].counters.add(to: .accepted)
        loops[0].counters.add(to: .refused)
        if tls.withLock({ $0 == nil }) { refuseAtOnce(descriptor, peer: peer) } else { close(descriptor) }
      }
      spare = try? OpenFile("/dev/null", O_RDONLY)
    }
  }
}
