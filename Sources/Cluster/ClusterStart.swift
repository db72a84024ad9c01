import HTTPServer
import ObjectStorage
import Platform
import PostgreSQL
import SQL
import SelfieAPI
import SelfieServerCommands

/// The start of a process of a cluster: both servers are tried out before anybody can connect.
struct ClusterStart {
  private let settings: ClusterSettings
  private let url: DatabaseURL
  private let store: ObjectStore
  private let checks: StartChecks
  /// Looks up the addresses of the database's hosts, and has nothing else to do at the start.
  private let lookUps = WorkerPool(name: "look-ups", threads: 2, waiting: 1000)

  init(_ settings: ClusterSettings, migrations: Migrations, loops: Int) throws {
    self.settings = settings
    url = try settings.database()
    store = try ObjectStore(settings.objectStore())
    checks = StartChecks(
      url, migrations: migrations, connections: PostgreSQLDatabase.connectionCount(loops: loops))
  }

  /// - Throws: `ClusterStartError` with everything that is wrong with either server.
  func open() throws -> ClusterStorage {
    do {
      return try connect(report: check())
    } catch {
      store.shutDown()
      lookUps.shutDown()
      throw error
    }
  }

  /// Begins to connect, without a look at either server.
  ///
  /// - Parameter report: what is known of them; nil to expect the best.
  func connect(report: StartReport? = nil) throws -> ClusterStorage {
    let database = try PostgreSQLDatabase(
      url, lookUps: lookUps, clock: { monotonicMilliseconds() })
    return ClusterStorage(
      database: database, objects: PhotoObjects(in: store, redirects: settings.redirectsDownloads),
      sweepAfter: settings.sweepAfter, migrations: report?.migrations ?? [], warnings: report?.warnings ?? [],
      makeService: {
        let pool = try database.makePool()
        return LoopService(
          descriptor: pool.descriptor, process: pool.process, deadline: pool.deadline, endOfTurn: pool.sendWaiting,
          close: pool.close)
      },
      objectStatistics: { [store] in ObjectStoreMetrics(store.statistics) },
      end: { [store, lookUps] in
        store.shutDown()
        lookUps.shutDown()
      })
  }

  // MARK: - Checks

  private func check() throws -> StartReport {
    let (report, problem) = try Blocking.run { [self] in
      async let problem = problemOfStore()
      return (await reportOnDatabase(), await problem)
    }
    switch report {
    case .success(let report) where problem == nil: return report
    case .success: throw ClusterStartError([problem].compactMap(\.self))
    case .failure(let error): throw ClusterStartError([Self.problem(error), problem].compactMap(\.self))
    }
  }

  private func reportOnDatabase() async -> Result<StartReport, any Error> {
    do {
      return .success(try await lookUps.run { [checks] in try checks.run(now: unixMilliseconds()) })
    } catch {
      return .failure(error)
    }
  }

  private func problemOfStore() async -> ClusterStartError.Problem? {
    do throws(ObjectStoreProblem) {
      try await store.check()
      return nil
    } catch {
      return ClusterStartError.Problem(error.description, Self.patience(with: error.cause))
    }
  }

  private static func patience(with error: ObjectStoreError) -> ClusterStartError.Patience {
    switch error {
    case .unavailable: .server
    case _ where error.isBucketMissing: .bucket
    default: .none
    }
  }

  /// Names the setting, also where only the database knows what is wrong.
  private static func problem(_ error: any Error) -> ClusterStartError.Problem {
    let text = "\(error)"
    let named = error is StartCheckError ? text : "DATABASE_URL: \(text)"
    let mayPass = (error as? SharedDatabaseError)?.mayPass ?? false
    return ClusterStartError.Problem(named.hasSuffix(".") ? named : "\(named).", mayPass ? .server : .none)
  }
}

extension ObjectStoreMetrics {
  fileprivate init(_ statistics: ObjectStoreStatistics) {
    self.init(
      requests: statistics.requests.map {
        Requests(method: $0.method, durations: $0.durations, failures: $0.failures)
      }, retries: statistics.retries, pool: statistics.pool)
  }
}
