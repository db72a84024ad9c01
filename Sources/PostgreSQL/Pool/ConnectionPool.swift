import Platform

/// The connections of one event loop to the database, and the queries that wait for one. For the loop's thread only.
///
/// The loop watches ``descriptor`` for reading, level-triggered, and calls ``process()`` when it is readable and at
/// ``deadline``. Nothing here blocks.
///
/// A query that was sent is never sent again, since it may have been committed. ``close()`` it before the last reference
/// goes: otherwise nobody is told of what is in flight.
public final class ConnectionPool {
  private struct Waiting {
    let batch: Batch
    let deadline: Int64
  }

  private let url: DatabaseURL
  private let limits: PoolLimits
  private let clock: () -> Int64
  private let random: () -> Double
  private let sockets: SocketSet
  private let lookUps: AddressLookUps
  private var members: [PoolMember]
  private var waiting: [Waiting] = []
  private var isClosed = false
  /// Why the last connection ended or could not be made, for the log; nil once there is one.
  public private(set) var lastFailure: String?

  /// - Parameters:
  ///   - lookUps: the threads that look up the addresses of hosts.
  ///   - clock: monotonic milliseconds.
  ///   - random: from 0 to 1, for the delays between attempts to connect.
  public init(
    _ url: DatabaseURL, limits: PoolLimits = PoolLimits(), lookUps: WorkerPool,
    clock: @escaping () -> Int64, random: @escaping () -> Double
  ) throws(SystemError) {
    self.url = url
    self.limits = limits
    self.clock = clock
    self.random = random
    sockets = try SocketSet()
    self.lookUps = AddressLookUps(url, workers: lookUps)
    let first = PoolMember(state: .waiting(until: clock()))
    members = Array(repeating: first, count: max(1, limits.maxConnections))
    process()
  }

  /// Readable when there is something to do.
  public var descriptor: Int32 { sockets.descriptor }

  /// When to call ``process()`` at the latest, in the clock's milliseconds.
  public var deadline: Int64? {
    guard !isClosed else { return nil }
    return (members.map(\.deadline) + [waiting.first?.deadline]).compactMap(\.self).min()
  }

  /// How many connections are ready.
  public var readyCount: Int { members.count { $0.connection?.state == .ready } }

  /// Runs a query that changes nothing. The completion is called once, on this thread, perhaps before this returns.
  public func read(_ query: Query, completion: @escaping (Result<Rows, PostgreSQLError>) -> Void) {
    submit(Batch(read: query, completion: completion))
  }

  /// Runs queries in one transaction. The completion is called once, on this thread, after the commit or its failure,
  /// perhaps before this returns.
  public func write(_ queries: [Query], completion: @escaping (Result<[Rows], PostgreSQLError>) -> Void) {
    submit(Batch(queries: queries, isWrite: true, completion: completion))
  }

  private func submit(_ batch: Batch) {
    let now = clock()
    if waiting.isEmpty, let number = leastLoaded() { return send(batch, to: number, now: now) }
    guard !isClosed, waiting.count < limits.maxWaiting else {
      return batch.fail(PostgreSQLError(.away, lastFailure ?? "too many queries wait for a connection"))
    }
    waiting.append(Waiting(batch: batch, deadline: now + limits.maxWait))
  }

  /// The ready connection with the fewest batches in flight; nil if all are full.
  private func leastLoaded() -> Int? {
    var best: (number: Int, load: Int)?
    for (number, member) in members.enumerated() {
      guard let connection = member.connection, connection.state == .ready else { continue }
      let load = connection.inFlightCount
      if load < best?.load ?? limits.maxInFlight { best = (number, load) }
    }
    return best?.number
  }

  private func send(_ batch: Batch, to number: Int, now: Int64) {
    members[number].connection?.submit(batch, now: now)
    watch(number)
  }

  /// Takes what has come, connects what is to be connected, and sends what waits.
  public func process() {
    guard !isClosed else { return }
    let now = clock()
    for event in sockets.events() where members.indices.contains(event.token) {
      members[event.token].connection?.process(event.events, now: now)
    }
    for (number, addresses) in lookUps.takeFound() { connect(number, to: addresses, now: now) }
    for number in members.indices { maintain(number, now: now) }
    while !isClosed, let first = waiting.first, first.deadline <= now {
      waiting.removeFirst()
      first.batch.fail(PostgreSQLError(.away, lastFailure ?? "no connection was free in time"))
    }
    while !waiting.isEmpty, let number = leastLoaded() { send(waiting.removeFirst().batch, to: number, now: now) }
    for number in members.indices { watch(number) }
  }

  private func maintain(_ number: Int, now: Int64) {
    members[number].connection?.expire(now: now)
    switch members[number].state {
    case .lookingUp: break
    case .waiting(let time):
      guard time <= now, !isClosed else { return }
      members[number].state = .lookingUp
      let isBegun = url.hasHostNames && lookUps.begin(for: number) { [sockets] in sockets.wake() }
      // Without a thread that looks it up, libpq does it here: late is better than never.
      if !isBegun { connect(number, to: nil, now: now) }
    case .connected(let connection):
      switch connection.state {
      case .connecting: break
      case .ready:
        members[number].failures = 0
        lastFailure = nil
      case .closed(let reason):
        lastFailure = reason
        members[number].failures += 1
        members[number].watched = nil
        let delay = limits.backoff.delay(afterFailures: members[number].failures, random: random())
        members[number].state = .waiting(until: now + delay)
      }
    }
  }

  private func connect(_ number: Int, to addresses: HostAddresses?, now: Int64) {
    guard case .lookingUp = members[number].state else { return }
    members[number].state = .connected(
      Connection(
        url, addresses: addresses, now: now, connectTimeout: limits.connectTimeout,
        responseTimeout: limits.responseTimeout))
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
    isClosed = true
    lastFailure = "the pool was closed"
    for member in members { member.connection?.close() }
    let unsent = waiting
    waiting = []
    for item in unsent { item.batch.fail(PostgreSQLError(.away, "the pool was closed")) }
  }
}
