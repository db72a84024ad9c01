import HTTPMessages
package import Logging
package import Platform
package import SelfieAPI
import SelfieTestDocuments

/// The worlds of a server by name. A world is made when a request first names it. `World` is one of them, with its
/// storage, clock, faults and journal.
package final class Worlds: Sendable {
  /// Enough for the test runners of one machine. Each world has a thread and some open files.
  package static let maxCount = 256
  /// Where there are too many, a world ends that was not used for so many milliseconds. Killed test runs leave some behind.
  package static let maxIdle: Int64 = 3_600_000

  /// A world that is made, or is being made.
  private struct Entry {
    let making: Task<World, any Error>
    /// Nil until it is made.
    let made: Monitor<World?>
  }

  /// The world of requests that name none.
  package let main: World
  let access: ControlAccess
  /// Those of all worlds.
  package let connectionFaults = ConnectionFaults()
  let pool: WorkerPool
  private let make: @Sendable (_ name: String) throws -> World
  private let clock: @Sendable () -> Int64
  private let others = Monitor<[String: Entry]>([:])
  let logger: Logger

  /// - Parameters:
  ///   - pool: makes and closes worlds, which blocks on the disk.
  ///   - clock: monotonic milliseconds.
  ///   - make: makes an empty world of a name.
  package init(
    main: World, access: ControlAccess, pool: WorkerPool, logger: Logger,
    clock: @escaping @Sendable () -> Int64 = monotonicMilliseconds,
    make: @escaping @Sendable (_ name: String) throws -> World
  ) {
    self.main = main
    self.access = access
    self.pool = pool
    self.logger = logger
    self.clock = clock
    self.make = make
  }

  /// The names of all worlds but the main one.
  package var names: [String] { others.withLock { $0.keys.sorted() } }

  /// All worlds that have been made, the main one first, then by name.
  package var all: [World] {
    [main] + named.map(\.world)
  }

  /// A world and its name.
  struct Named {
    let name: String
    let world: World
  }

  /// The worlds but the main one that have been made, by name.
  var named: [Named] {
    others.withLock { others in
      others.compactMap { name, entry in entry.made.withLock(\.self).map { Named(name: name, world: $0) } }
    }.sorted { $0.name < $1.name }
  }

  func exists(_ name: String) -> Bool { name.isResourceName && others.withLock { $0[name] != nil } }

  /// The world of a name, which is made unless it exists.
  ///
  /// - Parameter evicts: whether the world that was not used for longest makes room where there are too many, even if it
  ///   was used within the last hour.
  /// - Throws: `ControlError` when the name is not valid or there are too many worlds.
  package func world(named name: String, evicts: Bool = false) async throws -> World {
    guard name.isResourceName else {
      throw ControlError.invalid("X-Test-World must be the name of a world: \(String.resourceNameRule)")
    }
    while let unused = unusedIfFull(for: name, atLeast: evicts ? 0 : Self.maxIdle) { try await remove(unused) }
    let making = try others.withLock { others in
      if let known = others[name] { return known.making }
      guard others.count < Self.maxCount else {
        throw ControlError(
          .tooManyRequests,
          "There are \(Self.maxCount) worlds, which is the maximum. DELETE /__admin/worlds ends all, and X-Test-World: "
            + "\(name);evict the one that was not used for longest.")
      }
      let (pool, make, made) = (pool, make, Monitor<World?>(nil))
      let making = Task {
        let world = try await pool.run { try make(name) }
        made.withLock { $0 = world }
        return world
      }
      others[name] = Entry(making: making, made: made)
      return making
    }
    do {
      return try await making.value
    } catch {
      others.withLock { if $0[name]?.making == making { $0[name] = nil } }
      throw error
    }
  }

  /// The world that was not used for longest; nil if there is room for this one, or all were used in this time.
  private func unusedIfFull(for name: String, atLeast idle: Int64) -> String? {
    others.withLock { others in
      guard others.count >= Self.maxCount, others[name] == nil else { return nil }
      let times = others.compactMap { name, entry in entry.made.withLock { $0?.unusedSince }.map { (name, $0) } }
      return times.filter { $0.1 <= clock() - idle }.min { $0.1 < $1.1 }?.0
    }
  }

  /// The worlds but the main one, by name.
  func listed() throws -> [ListedWorld] {
    // One that is being closed is left out.
    try named.compactMap { named in
      guard named.world.begin(marks: false) else { return nil }
      defer { named.world.end() }
      return try named.world.listed(as: named.name)
    }
  }

  /// Closes a world after its requests in flight have ended; false when no world has this name.
  @discardableResult
  package func remove(_ name: String) async throws -> Bool {
    // Such a fault makes no world.
    connectionFaults.end(in: name)
    guard let entry = others.withLock({ $0.removeValue(forKey: name) }) else { return false }
    let world = try await entry.making.value
    await world.drain()
    do {
      try await pool.run { world.close() }
    } catch {
      // The pool is full, and nothing else would close the world.
      world.close()
    }
    return true
  }

  /// Runs `body` for the application of one world after the other, even when it fails for some.
  ///
  /// - Throws: the first error.
  package func forEach(_ body: (Application) async throws -> Void) async throws {
    var failure: (any Error)?
    // Worlds that are being closed are left out.
    for world in all where world.begin(marks: false) {
      defer { world.end() }
      do {
        try await body(world.application)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Ends the delays and the waits that tests have asked for, so that a server that stops need not wait for them.
  package func endDelays() {
    for world in all { world.endDelays() }
  }

  /// Closes all worlds. No request may be in flight. Blocks.
  package func close() {
    for world in all { world.close() }
  }
}
