import HTTPMessages
import Logging
import Platform
import SQLite
import SelfieAPI

/// The real application with what a test needs around it: a world of its own, empty at first, with its own time.
public final class World: Sendable {
  /// Nil for the world of requests that name none.
  public let name: String?
  public let clock: WorldClock
  /// What goes wrong in it.
  public let faults = FaultRules()
  /// What it has been asked and has answered.
  public let journal = Journal()
  package let application: Application
  package let state: StoredState
  /// What was saved of what is stored.
  public let snapshots: Snapshots
  /// Requests that are under way in it.
  let attendance = Attendance()
  /// Of a world that nothing is to be left of.
  private let temporaryFolder: String?

  /// Opens a world in a folder, which exists and belongs to nobody else.
  ///
  /// - Parameters:
  ///   - isDurable: if false, nothing is synced, and the folder is removed when the world is closed.
  ///   - realTime: unix milliseconds; the world's clock follows it until it is turned.
  public init(
    name: String? = nil, folder: String, settings: APISettings, migrations: Migrations, pools: WorkerPools,
    isDurable: Bool = false, realTime: @escaping @Sendable () -> Int64, logger: Logger
  ) throws {
    self.name = name
    let clock = WorldClock(real: realTime)
    self.clock = clock
    application = try Application.open(
      folder: folder, settings: settings, migrations: migrations, pools: pools, isDurable: isDurable,
      clock: { clock.now }, logger: logger)
    state = StoredState(of: application)
    snapshots = Snapshots(of: state)
    temporaryFolder = isDurable ? nil : folder
  }

  /// Answers a request to the API.
  ///
  /// Those that ask how the server is come at any time, such as every 30 s by the image's health check. So they are
  /// noted, and things go wrong with them, only where a fault rule names their path.
  public func respond(_ request: Request) async -> Response {
    if Application.isAboutServer(request), !faults.names(request) { return await application.respond(request) }
    return await record(request) { request in
      await faults.respond(to: request) { await application.respond($0) }
    }
  }

  /// Everything is as it was in the beginning, but for the snapshots.
  ///
  /// - Returns: what was stored.
  @discardableResult
  public func reset() async throws -> StateCounts {
    faults.removeAll()
    clock.reset()
    let counts = try await state.reset()
    journal.clear()
    return counts
  }

  /// Lets no request in any more, and returns when those that are under way have left, or cannot be waited for.
  func empty() async {
    attendance.close()
    // Nothing that a test has set up must hold them up.
    faults.removeAll()
    journal.endWaiting()
    await attendance.empty(within: Self.patience)
  }

  /// How long an upload that is under way may hold up the end of its world. What is cut off then is answered 500.
  private static let patience = Duration.seconds(10)

  /// Ends the world. Blocks meanwhile.
  public func close() {
    application.close()
    if let temporaryFolder { FileTree.remove(temporaryFolder) }
  }
}
