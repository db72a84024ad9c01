import Cryptography
import SQL

/// A write whose connection was lost before its commit was seen.
///
/// To look whether its rows are there is not enough: the lost connection's process on the server may still have the
/// batch before it, and commit after the look. So that process is ended first (a fence), and the look comes when it is
/// gone: from then on nothing changes any more. It is found by the connection's name, which no other connection has.
///
/// What it cannot find out: a server that does not come back within the time limit; a process on the server that does
/// not end (it is stopped, or its disk hangs); a standby that took over without the last commits; and a batch that a
/// PgBouncer still keeps for a connection of the server that it has not chosen yet.
struct LostWrite {
  let queries: [Query]
  /// Has rows exactly if the write was committed; nil if the write may be run twice.
  let evidence: Query?
  /// Its kind is ``SharedDatabaseError/Kind/outcomeUnknown``.
  let loss: SharedDatabaseError
  let limits: SettlingLimits
  let clock: @Sendable () -> Int64
  let random: RandomSource

  /// Finds out whether it was committed; if it was not, and never will be, sends it once more.
  ///
  /// - Throws: `outcomeUnknown` if that cannot be found out, or if the second attempt is lost, too; without evidence,
  ///   also if the second attempt is refused for now.
  func settle(by route: Route) async throws -> WriteOutcome {
    if let rows = try await evidenceBehindFence(by: route), !rows.isEmpty { return .found(rows) }
    do {
      let rows = try await route.write(queries)
      return evidence == nil ? .repeated(rows) : .committed(rows)
    } catch let error as SharedDatabaseError where evidence == nil && Self.mayPass(error) {
      // What the second attempt did not do, the first one may have done.
      throw unknown("the second attempt failed: \(error)")
    }
  }

  /// The evidence's rows after the lost connection's process has ended; nil if there is no evidence.
  private func evidenceBehindFence(by route: Route) async throws -> Rows? {
    guard let connection = loss.connection else { throw loss }
    let fence = Fence.query(connection: connection)
    let deadline = clock() &+ limits.maxWait
    var (pause, waited) = (limits.firstPause, Int64(0))
    // A pool that was closed does not wait, so the pauses count as well as the time.
    while waited < limits.maxWait {
      do {
        let rows = try await route.read([fence] + [evidence].compactMap(\.self))
        if rows.first?.isEmpty == true { return rows.dropFirst().first }
      } catch let error as SharedDatabaseError {
        guard Self.mayPass(error) else { throw unknown("it cannot be asked about: \(error)") }
      }
      guard clock() &+ pause <= deadline else { break }
      waited += pause
      // At least half of it, since the server needs some time in any case.
      await route.wait(milliseconds: pause / 2 + Int64(Double(pause / 2) * random.fraction()))
      pause = min(pause * 2, limits.maxPause)
    }
    throw unknown("its process on the server has not ended in time")
  }

  private static func mayPass(_ error: SharedDatabaseError) -> Bool {
    switch error.kind {
    case .away, .conflict, .timeout: true
    default: false
    }
  }

  private func unknown(_ reason: String) -> SharedDatabaseError {
    SharedDatabaseError(.outcomeUnknown, connection: loss.connection, "\(loss.message), and \(reason)")
  }
}

/// How long it may take to find out the outcome of a write. Times are in milliseconds.
public struct SettlingLimits: Sendable {
  public var maxWait: Int64 = 5000
  /// Between two looks; each pause is twice as long as the one before.
  public var firstPause: Int64 = 10
  public var maxPause: Int64 = 500

  public init() {}
}
