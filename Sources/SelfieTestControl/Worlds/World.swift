import HTTPMessages
import Logging
import Platform
import SQLite
import SelfieAPI

/// The real application with everything that a test needs around it: its own storage, empty at first, and its own clock,
/// faults and journal.
public final class World: Sendable {
  /// Nil for the world of requests that name none.
  public let name: String?
  public let clock: WorldClock
  /// The faults that it injects into its responses.
  public let faults = FaultRules()
  /// The requests to it and its responses.
  public let journal = Journal()
  package let application: Application
  package let database: Database
  package let state: StoredState
  public let snapshots: Snapshots
  let inFlight = InFlightRequests()
  /// Is removed when the world is closed.
  private let temporaryFolder: String?

  /// Opens a world in an existing folder that nothing else uses.
  ///
  /// - Parameters:
  ///   - memory: counts what clients hold.
  ///   - isDurable: if false, nothing is synced, and the folder is removed when the world is closed.
  ///   - realTime: the real time in unix milliseconds.
  public init(
    name: String? = nil, folder: String, settings: APISettings, pools: WorkerPools,
    memory: MemoryBudget = MemoryBudget(), isDurable: Bool = false,
    realTime: @escaping @Sendable () -> Int64, logger: Logger
  ) throws {
    self.name = name
    let clock = WorldClock(real: realTime)
    self.clock = clock
    (application, database) = try Application.open(
      folder: folder, settings: settings, pools: pools, memory: memory,
      isDurable: isDurable, clock: { clock.now }, elapsed: { clock.elapsed }, logger: logger)
    state = StoredState(of: application, in: database)
    snapshots = Snapshots(of: state)
    temporaryFolder = isDurable ? nil : folder
  }

  /// Responds to a request for the API.
  ///
  /// Monitors and health checks request `/`, `/up` and `/readyz` at any time. Those requests are recorded and subject to
  /// faults only where a fault rule names their path.
  public func respond(_ request: Request) async -> Response {
    if RouteTable.server.contains(request), !faults.names(request) { return await application.respond(request) }
    return await record(request) { request in
      await faults.respond(to: request) {
        application.errorJSON($0, $1, for: request)
      } by: {
        await application.respond($0)
      }
    }
  }

  /// Restores the initial state, except for the snapshots.
  ///
  /// - Returns: how much was stored.
  @discardableResult
  public func reset() async throws -> StateCounts {
    faults.removeAll()
    clock.reset()
    let counts = try await state.reset()
    journal.clear()
    return counts
  }

  /// Refuses further requests, and returns when those in flight have ended, or after a timeout.
  func drain() async {
    inFlight.close()
    endDelays()
    await inFlight.drain(timeout: Self.drainTimeout)
  }

  /// Ends the delays and the waits that a test has asked for, which must not hold up the end of its world.
  func endDelays() {
    faults.removeAll()
    journal.endWaiting()
  }

  /// How long an upload may hold up the end of its world. Requests that take longer fail with 500.
  private static let drainTimeout = Duration.seconds(10)

  /// Closes the world, in which no request may be in flight. Blocks.
  public func close() {
    application.close()
    if let temporaryFolder { try? FileSystem.removeTree(temporaryFolder) }
  }
}
