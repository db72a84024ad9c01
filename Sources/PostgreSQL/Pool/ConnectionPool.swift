import Cryptography
import Platform
import SQL

/// The connections with which one thread reads from the database, and the queries that wait for one. For that thread
/// only.
///
/// An event loop watches ``descriptor`` for reading, level-triggered, and calls ``process()`` when it is readable and
/// at ``deadline()``. What is read in one turn of the loop is sent together at its end, by ``sendWaiting()``. Nothing
/// here blocks.
///
/// ``close()`` the pool before the last reference goes: otherwise nobody is told of what is in flight.
public final class ConnectionPool {
  private let url: DatabaseURL
  private let limits: PoolLimits
  private let clock: () -> Int64
  private let random: RandomSource
  private let sockets: SocketSet
  private let lookUps: AddressLookUps
  private let counters: PoolCounters
  private var members: [PoolMember]
  private var waiting = WaitingBatches()
  private var isClosed = false
  /// Why the last connection ended or could not be made, for the log; nil once there is one.
  public private(set) var lastFailure: String?

  /// - Parameters:
  ///   - lookUps: the threads that look up the addresses of hosts.
  ///   - clock: monotonic milliseconds.
  ///   - random: for the connections' names, and for the delays between attempts to connect.
  init(
    _ url: DatabaseURL, limits: PoolLimits, sockets: SocketSet, lookUps: WorkerPool,
    counters: PoolCounters = PoolCounters(), clock: @escaping () -> Int64, random: RandomSource
  ) {
    self.url = url
    self.limits = limits
    self.clock = clock
    self.random = random
    self.sockets = sockets
    self.lookUps = AddressLookUps(url, workers: lookUps)
    self.counters = counters
    let now = clock()
    members = (0..<limits.maxConnections).map { _ in PoolMember(state: .waiting(until: now)) }
    process()
  }

  public convenience init(
    _ url: DatabaseURL, limits: PoolLimits = PoolLimits(), lookUps: WorkerPool,
    clock: @escaping () -> Int64, random: RandomSource
  ) throws(SystemError) {
    self.init(
      url, limits: limits, sockets: try SocketSet(), lookUps: lookUps, clock: clock, random: random)
  }

  /// Readable when there is something to do.
  public var descriptor: Int32 { sockets.descriptor }

  /// When to call ``process()`` at the latest, in the clock's milliseconds; nil for never.
  public func deadline() -> Int64? {
    guard !isClosed else { return nil }
    // Somebody has not called `sendWaiting`.
    if waiting.count > 0, leastLoaded() != nil { return 0 }
    var first = Int64.max
    for member in members { first = min(first, member.deadline ?? .max) }
    first = min(first, waiting.deadline ?? .max)
    return first == .max ? nil : first
  }

  /// How many connections are ready.
  public var readyCount: Int { members.count { $0.ready != nil } }

  /// Runs queries that change nothing, in one round trip that begins with the next ``sendWaiting()``. The completion is
  /// called once, on this thread, perhaps before this returns.
  public func read(_ queries: [Query], completion: @escaping (Result<[Rows], SharedDatabaseError>) -> Void) {
    submit(Batch(queries: queries, completion: completion))
  }

  private func submit(_ batch: Batch) {
    let now = clock()
    guard !isClosed, waiting.count < limits.maxWaiting else {
      return batch.fail(SharedDatabaseError(.away, lastFailure ?? "too many queries wait for a connection"))
    }
    waiting.append(batch, deadline: now &+ limits.maxWait)
    // Enough for all connections.
    if waiting.count >= limits.maxShared * limits.maxConnections { sendWaiting(now: now) }
  }

  /// The ready connection with the fewest batches in flight; nil if all are full.
  private func leastLoaded() -> Int? {
    var best: (number: Int, load: Int)?
    for (number, member) in members.enumerated() {
      guard let load = member.ready?.inFlightCount else { continue }
      if load < best?.load ?? limits.maxInFlight { best = (number, load) }
    }
    return best?.number
  }

  private func send(_ batches: [Batch], to number: Int, now: Int64) {
    members[number].connection?.submit(batches, now: now)
    watch(number)
  }

  /// Sends what waits, as far as there are connections that can take it.
  public func sendWaiting() {
    guard waiting.count > 0 else { return }
    sendWaiting(now: clock())
  }

  private func sendWaiting(now: Int64) {
    // As many for each connection.
    let connections = max(1, limits.maxConnections)
    let reads = min(limits.maxShared, (waiting.count + connections - 1) / connections)
    while waiting.count > 0, let number = leastLoaded() {
      let count = min(reads, roomForShared(on: number, now: now))
      send(waiting.removeFirst(max(1, count)), to: number, now: now)
    }
  }

  /// How many batches may share a Sync on a connection.
  private func roomForShared(on number: Int, now: Int64) -> Int {
    guard let connection = members[number].connection, !connection.isSlow(now: now) else { return 1 }
    return limits.maxInFlight - connection.inFlightCount
  }

  /// Takes what has come, connects what is to be connected, and sends what waits.
  public func process() {
    guard !isClosed else { return }
    let now = clock()
    for event in sockets.events() where members.indices.contains(event.token) {
      members[event.token].connection?.process(event.events, now: now)
    }
    for (number, addresses) in lookUps.takeFound() { connect(number, lookedUp: addresses, now: now) }
    for number in members.indices { maintain(number, now: now) }
    while let batch = waiting.removeExpired(now: now) {
      batch.fail(SharedDatabaseError(.away, lastFailure ?? "no connection was free in time"))
    }
    sendWaiting(now: now)
    guard !isClosed else { return }
    for number in members.indices { watch(number) }
    let inFlight = members.reduce(0) { $0 + ($1.connection?.inFlightCount ?? 0) }
    counters.set(connections: members.count, ready: readyCount, inFlight: inFlight, waiting: waiting.count)
  }

  private func maintain(_ number: Int, now: Int64) {
    members[number].connection?.expire(now: now)
    switch members[number].state {
    case .lookingUp: break
    case .waiting(let time):
      guard time <= now, !isClosed else { return }
      guard url.hasHostNames else { return connect(number, to: nil, now: now) }
      members[number].state = .lookingUp
      let isBegun = lookUps.begin(for: number) { [sockets] in sockets.wake() }
      if !isBegun { fail(number, "too much waits for the addresses of hosts", now: now) }
    case .connected(let connection):
      switch connection.state {
      case .connecting: break
      case .ready:
        members[number].failures = 0
        members[number].wasReady = true
        lastFailure = nil
      case .closed(let reason): fail(number, reason, now: now)
      }
    }
  }

  /// Lets a member wait for its next attempt to connect.
  private func fail(_ number: Int, _ reason: String, now: Int64) {
    lastFailure = reason
    counters.countFailedConnection()
    members[number].failures += 1
    // An attempt that has used up its time may never have come to the hosts behind the first.
    if !members[number].wasReady { members[number].firstAddress &+= 1 }
    members[number].watched = nil
    let delay = limits.backoff.delay(afterFailures: members[number].failures, random: random.fraction())
    members[number].state = .waiting(until: now + delay)
  }

  /// - Parameter addresses: nil if no host has one. libpq must not look for itself then: it would block this thread for
  ///   as long as the name servers are away.
  private func connect(_ number: Int, lookedUp addresses: HostAddresses?, now: Int64) {
    guard case .lookingUp = members[number].state else { return }
    guard let addresses else { return fail(number, "the database's host has no address", now: now) }
    connect(number, to: addresses.rotated(by: members[number].firstAddress), now: now)
  }

  private func connect(_ number: Int, to addresses: HostAddresses?, now: Int64) {
    members[number].state = .connected(
      Connection(
        url, addresses: addresses, name: url.newConnectionName(random), now: now, connectTimeout: limits.connectTimeout,
        responseTimeout: limits.responseTimeout))
    members[number].wasReady = false
    members[number].watched = nil
  }

  /// Tells epoll what a connection waits for, if that is something else than before. One that still connects may have
  /// another socket of the same number.
  private func watch(_ number: Int) {
    guard let connection = members[number].connection, let socket = connection.descriptor else { return }
    let wanted = PoolMember.Watched(descriptor: socket, events: connection.wantedEvents)
    guard connection.state == .connecting || members[number].watched != wanted else { return }
    guard sockets.watch(socket, for: wanted.events, token: number) else { return connection.close() }
    members[number].watched = wanted
  }

  /// Ends all connections. What is in flight or waits fails, and so does what comes later.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    lastFailure = "the pool was closed"
    for member in members { member.connection?.close() }
    for batch in waiting.removeAll() { batch.fail(SharedDatabaseError(.away, "the pool was closed")) }
    counters.set(connections: 0, ready: 0, inFlight: 0, waiting: 0)
  }
}

extension RandomSource {
  /// From 0 to 1.
  func fraction() -> Double {
    let number = bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return Double(number) / Double(UInt32.max)
  }
}
