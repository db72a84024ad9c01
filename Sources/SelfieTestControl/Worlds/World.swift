package import HTTPMessages
package import Logging
package import Platform
package import SQLite
package import SelfieAPI
package import SelfieTestDocuments

/// The real application with everything that a test needs around it: its own storage, empty at first, and its own
/// clock, faults and journal. `Worlds` has all worlds by name, and `Application` in SelfieAPI is the application
/// itself.
package final class World: Sendable {
  package let clock: WorldClock
  /// The faults that it injects into its responses.
  package let faults = FaultRules()
  /// The requests to it and its responses.
  package let journal: Journal
  package let application: Application
  package let database: Database
  package let state: StoredState
  package let snapshots: Snapshots
  private let inFlight = Monitor((count: 0, isClosed: false, usedAt: monotonicMilliseconds()))
  private let madeAt = monotonicMilliseconds()
  /// Is removed when the world is closed.
  private let temporaryFolder: String?

  /// Opens a world in an existing folder that nothing else uses.
  ///
  /// - Parameters:
  ///   - memory: counts what clients hold.
  ///   - journalSize: how many requests the journal keeps.
  ///   - isDurable: if false, nothing is synced, and the folder is removed when the world is closed.
  ///   - random: makes ids and tokens.
  ///   - realTime: the real time in unix milliseconds.
  package init(
    folder: String, settings: APISettings, pools: WorkerPools,
    memory: MemoryBudget = MemoryBudget(), journalSize: Int = Journal.defaultSize, isDurable: Bool = false,
    random: WorldRandom = WorldRandom(), realTime: @escaping @Sendable () -> Int64, logger: Logger
  ) throws {
    let clock = WorldClock(real: realTime)
    self.clock = clock
    journal = Journal(size: journalSize)
    var environment = ApplicationEnvironment(
      pools: pools, memory: memory, clock: { clock.time }, logger: logger)
    environment.random = random.source
    environment.elapsed = { clock.elapsed }
    application = try Application(.folder(folder, isDurable: isDurable), settings: settings, in: environment)
    guard let database = application.database.file else {
      throw ConfigurationError("The rows of a world must be in a file.")
    }
    self.database = database
    state = StoredState(of: application, in: database, random: random)
    // As after a reset: the application has taken some.
    random.restart()
    snapshots = Snapshots(of: state)
    temporaryFolder = isDurable ? nil : folder
  }

  /// Responds to a request for the API.
  ///
  /// Monitors and health checks request `/`, `/up` and `/readyz` at any time. Those requests are recorded and subject to
  /// faults only where a fault rule names their path.
  package func respond(_ request: Request) async -> Response {
    if RouteTable.server.contains(request), !faults.names(request) { return await application.respond(request) }
    var recording = Recording(of: request, in: self)
    if faults.askForBody(of: request) { await recording.readBody() }
    let notes = recording.notes
    let faulty = await faults.respond(to: recording.request, as: recording.exchange) { status, message in
      application.errorJSON(status, message, for: request)
    } by: { request in
      await handle(request, noting: notes)
    }
    recording.end(with: faulty)
    return faulty.response
  }

  /// Responds as the application does, unless the data is replaced meanwhile.
  ///
  /// - Parameter notes: takes what the application finds in the body.
  private func handle(_ request: Request, noting notes: BodyNotes) async -> Response {
    let response = await state.generations.run(request) { request in
      request.body.isEmpty ? await application.respond(request) : await application.respond(request, noting: notes)
    }
    return response
      ?? application.refuse(
        .unauthorized, "The data that this request was for has been replaced while its body arrived.")
  }

  /// Restores the initial state, except for the snapshots.
  ///
  /// - Returns: how much was stored.
  @discardableResult
  package func reset() async throws -> StateCounts {
    faults.removeAll()
    clock.apply(ClockChange(reset: true))
    let counts = try await state.reset()
    journal.clear()
    return counts
  }

  /// Counts a request in flight, which must call ``end()`` once; false after ``drain()``.
  ///
  /// - Parameter marks: whether the world counts as used.
  func begin(marks: Bool = true) -> Bool {
    inFlight.withLock { inFlight in
      if !inFlight.isClosed { inFlight.count += 1 }
      if marks { inFlight.usedAt = monotonicMilliseconds() }
      return !inFlight.isClosed
    }
  }

  func end() { inFlight.withLock { $0.count -= 1 } }

  /// When the last request began, in monotonic milliseconds; nil while one is in flight.
  var unusedSince: Int64? { inFlight.withLock { $0.count == 0 ? $0.usedAt : nil } }

  func listed(as name: String) throws -> ListedWorld {
    let (now, usedAt) = (monotonicMilliseconds(), inFlight.withLock(\.usedAt))
    let use = WorldUse(
      name: name, ageMilliseconds: now - madeAt, idleMilliseconds: now - usedAt, requests: journal.count())
    return ListedWorld(use, try database.read { try $0.rowCounts() })
  }

  /// Refuses further requests, and returns when those in flight have ended, or after a timeout.
  func drain() async {
    inFlight.withLock { $0.isClosed = true }
    endDelays()
    await state.generations.next()
    await Generations.wait { [self] in inFlight.withLock { $0.count } <= state.generations.waitingCount }
  }

  /// Ends the delays and the waits that a test has asked for, which must not hold up the end of its world.
  func endDelays() {
    faults.removeAll()
    journal.endWaiting()
  }

  /// Closes the world, in which no request may be in flight. Blocks.
  package func close() {
    application.close()
    if let temporaryFolder { try? FileSystem.removeTree(temporaryFolder) }
  }
}
