import Cryptography
import Platform
import SQL

/// The connections with which one thread reads from the database, and the queries that wait for one. For that thread
/// only.
///
/// An event loop watches ``descriptor`` for reading, level-triggered, and calls ``process()`` when it is readable and
/// at ``deadline()``. What is read in one turn of the loop is sent together at its end. Nothing here blocks.
///
/// ``close()`` the pool before the last reference goes: otherwise what is in flight is never completed.
final class ConnectionPool: LoopService {
  /// A place for a connection.
  private struct Member {
    var connection: PipelinedConnection?
    /// When the next attempt to connect is due, in monotonic milliseconds; nil during one, and with a connection.
    var nextAttempt: Int64?
    /// How many attempts have failed since the last connection.
    var failures = 0
    /// Whether epoll watches its socket for writing, too; nil if it does not watch it.
    var isWatchedForWriting: Bool?

    /// When it must be looked after, whatever happens on its socket.
    var deadline: Int64? {
      guard let connection else { return nextAttempt }
      // One that has ended is replaced at once.
      return connection.failure == nil ? connection.deadline : 0
    }
  }

  /// The database that it belongs to.
  let owner: ObjectIdentifier?
  /// For other threads.
  let statistics = Monitor(SharedDatabaseStatistics())
  /// Why the last connection ended or could not be made, for the log; nil once there is one.
  private(set) var lastFailure: String?

  private let url: DatabaseURL
  private let limits: PoolLimits
  private let clock: () -> Int64
  private let random: RandomSource
  /// Threads that connect wake it.
  private let sockets: Poller
  private let connecting: WorkerPool
  /// The connections made by the threads of `connecting`, by the numbers of members.
  private let made = Monitor<[Int: Result<ClientConnection, SharedDatabaseError>]>([:])
  private var members: [Member]
  private var waiting: [(read: Read, deadline: Int64)] = []
  private var isClosed = false

  /// - Parameters:
  ///   - connecting: the threads that connect, which blocks them.
  ///   - clock: monotonic milliseconds.
  ///   - random: for the connections' names, and for the delays between attempts to connect.
  init(
    _ url: DatabaseURL, limits: PoolLimits, of owner: ObjectIdentifier? = nil, sockets: Poller,
    connecting: WorkerPool, clock: @escaping () -> Int64, random: RandomSource
  ) {
    self.url = url
    self.limits = limits
    self.owner = owner
    self.clock = clock
    self.random = random
    self.sockets = sockets
    self.connecting = connecting
    let now = clock()
    members = (0..<limits.maxConnections).map { _ in Member(nextAttempt: now) }
    process()
  }

  var descriptor: Int32 { sockets.descriptor }

  func deadline() -> Int64? {
    guard !isClosed else { return nil }
    // The end of a turn has not been told.
    if !waiting.isEmpty, leastLoaded() != nil { return 0 }
    var first = waiting.first?.deadline ?? .max
    for member in members { first = min(first, member.deadline ?? .max) }
    return first == .max ? nil : first
  }

  /// How many connections are ready.
  var readyCount: Int { members.count { $0.connection?.failure == nil && $0.connection != nil } }

  // MARK: - Reads

  /// Runs a query that changes nothing, in a round trip that begins at the end of the turn. The completion is called
  /// once, on this thread, perhaps before this returns.
  func read(_ query: Query, completion: @escaping (Result<Rows, SharedDatabaseError>) -> Void) {
    let now = clock()
    guard !isClosed, waiting.count < limits.maxWaiting else {
      let reason = lastFailure ?? "too many queries wait for a connection"
      return completion(.failure(SharedDatabaseError(.away, reason)))
    }
    do throws(SharedDatabaseError) {
      let read = Read(sql: query.sql, values: try EncodedParameters(query.values), completion: completion)
      waiting.append((read, now &+ limits.maxWait))
    } catch {
      return completion(.failure(error))
    }
    // Enough for all connections.
    if waiting.count >= limits.maxShared * limits.maxConnections { sendWaiting(now: now) }
  }

  /// Runs a query for a task of the pool's thread.
  func read(_ query: Query) async throws -> Rows {
    try await withUnsafeThrowingContinuation { continuation in
      read(query) { continuation.resume(with: $0) }
    }
  }

  /// Sends what waits, as far as there are connections that can take it.
  func endOfTurn() {
    if !waiting.isEmpty { sendWaiting(now: clock()) }
  }

  private func sendWaiting(now: Int64) {
    while !waiting.isEmpty, let number = preferred(now: now) ?? leastLoaded(),
      let connection = members[number].connection
    {
      let room = connection.isSlow(now: now) ? 1 : limits.maxInFlight - connection.inFlightCount
      let reads = waiting.prefix(max(1, min(limits.maxShared, room))).map(\.read)
      waiting.removeFirst(reads.count)
      connection.submit(reads, now: now)
      watch(number)
    }
  }

  /// The first connection that is quick and has few reads in flight. Two that take turns would wake a process of the
  /// server each, for half as many reads at once.
  private func preferred(now: Int64) -> Int? {
    members.firstIndex { member in
      guard let connection = member.connection, connection.failure == nil else { return false }
      return connection.inFlightCount < limits.maxShared && !connection.isSlow(now: now)
    }
  }

  /// The ready connection with the fewest reads in flight; nil if all are full.
  private func leastLoaded() -> Int? {
    var best: (number: Int, load: Int)?
    for (number, member) in members.enumerated() {
      guard let connection = member.connection, connection.failure == nil else { continue }
      if connection.inFlightCount < best?.load ?? limits.maxInFlight { best = (number, connection.inFlightCount) }
    }
    return best?.number
  }

  // MARK: - Connections

  /// Takes what has come, connects what is to be connected, and sends what waits.
  func process() {
    guard !isClosed else { return }
    let now = clock()
    var events: [Poller.Event] = []
    sockets.wait(timeout: 0, into: &events)
    for event in events where event.token < members.count {
      members[Int(event.token)].connection?.process(isReadable: event.isReadable, now: now)
    }
    for (number, result) in made.withLock({ exchange(&$0, with: [:]) }) { finishConnecting(number, result, now: now) }
    for number in members.indices { maintain(number, now: now) }
    while let first = waiting.first, first.deadline <= now {
      waiting.removeFirst()
      first.read.completion(.failure(SharedDatabaseError(.away, lastFailure ?? "no connection was free in time")))
    }
    sendWaiting(now: now)
    guard !isClosed else { return }
    for number in members.indices { watch(number) }
    updateStatistics()
  }

  private func maintain(_ number: Int, now: Int64) {
    if let connection = members[number].connection {
      connection.expire(now: now)
      if let failure = connection.failure { fail(number, failure, now: now) }
    } else if let time = members[number].nextAttempt, time <= now, !isClosed {
      connect(number, now: now)
    }
  }

  private func connect(_ number: Int, now: Int64) {
    members[number].nextAttempt = nil
    let name = url.newConnectionName(random)
    let isTaken = connecting.submit { [url, made, sockets] in
      let result = Result { () throws(SharedDatabaseError) in try ClientConnection(url, name: name) }
      made.withLock { $0[number] = result }
      sockets.wake()
    }
    if !isTaken { fail(number, "too many connections are being made", now: now) }
  }

  private func finishConnecting(_ number: Int, _ result: Result<ClientConnection, SharedDatabaseError>, now: Int64) {
    switch result {
    case .success(let client):
      let connection = PipelinedConnection(client, now: now, responseTimeout: limits.responseTimeout)
      members[number] = Member(connection: connection)
      lastFailure = nil
    case .failure(let error): fail(number, error.message, now: now)
    }
  }

  /// Lets a member wait for its next attempt to connect.
  private func fail(_ number: Int, _ reason: String, now: Int64) {
    lastFailure = reason
    statistics.withLock { $0.failedConnections += 1 }
    members[number].failures += 1
    let delay = limits.backoff.delay(afterFailures: members[number].failures, random: random.fraction())
    (members[number].connection, members[number].nextAttempt) = (nil, now + delay)
  }

  /// Tells epoll what a connection waits for, if that is something else than before.
  private func watch(_ number: Int) {
    guard let connection = members[number].connection, let socket = connection.descriptor,
      members[number].isWatchedForWriting != connection.wantsToWrite
    else { return }
    let isWatched = sockets.watch(socket, forWriting: connection.wantsToWrite, token: UInt64(number))
    guard isWatched else { return connection.close() }
    members[number].isWatchedForWriting = connection.wantsToWrite
  }

  private func updateStatistics() {
    statistics.withLock { statistics in
      statistics.connections = isClosed ? 0 : members.count
      statistics.readyConnections = isClosed ? 0 : readyCount
      statistics.inFlight = members.reduce(0) { $0 + ($1.connection?.inFlightCount ?? 0) }
      statistics.waiting = waiting.count
    }
  }

  /// Ends all connections. What is in flight or waits fails, and so does what comes later.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    lastFailure = "the pool was closed"
    for member in members { member.connection?.close() }
    for (read, _) in exchange(&waiting, with: []) {
      read.completion(.failure(SharedDatabaseError(.away, "the pool was closed")))
    }
    updateStatistics()
  }
}
