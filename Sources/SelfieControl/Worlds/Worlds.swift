import HTTPMessages
import Logging
import SelfieAPI
import Platform

/// The worlds of a server, by their names; each is made when it is first asked for.
public final class Worlds: Sendable {
  /// Enough for a machine's test runners; each has a thread and some open files.
  public static let maxCount = 256

  /// The world of requests that name none.
  public let main: World
  private let lane: WorkerPool
  private let make: @Sendable (_ name: String) throws -> World
  private let others = Monitor<[String: Entry]>([:])
  let logger: Logger

  private struct Entry {
    let making: Task<World, any Error>
    /// Nil until it is made.
    var world: World?
  }

  /// - Parameters:
  ///   - lane: where worlds are made and ended, which waits for the disk.
  ///   - make: makes an empty world.
  public init(
    main: World, lane: WorkerPool, logger: Logger, make: @escaping @Sendable (_ name: String) throws -> World
  ) {
    self.main = main
    self.lane = lane
    self.logger = logger
    self.make = make
  }

  /// Answers a request: of the API by the world that it names, or of the control interface.
  public func respond(_ request: Request) async -> Response {
    do {
      guard let call = ControlCall(request) else {
        let world = try await enter(for: request)
        defer { world.attendance.leave() }
        return await world.respond(request)
      }
      try allow(request)
      if let response = try await controlWorlds(call) { return response }
      let world = try await enter(for: request)
      defer { world.attendance.leave() }
      return try await control(call, of: world)
    } catch {
      return answer(to: error)
    }
  }

  /// The names of the worlds that there are beside the main one.
  public var names: [String] { others.withLock { $0.keys.sorted() } }

  /// The world of a name, which is made if need be.
  public func world(named name: String) async throws -> World {
    guard GivenName.isName(name) else {
      throw ControlError.badRequest(
        "X-Test-World must be the name of a world: 1 to 64 letters, digits, dots, hyphens and underscores, but "
          + "not . or ..")
    }
    let making = try others.withLock { others in
      if let known = others[name] { return known.making }
      guard others.count < Self.maxCount else {
        throw ControlError(
          .tooManyRequests,
          "There are \(Self.maxCount) worlds already, as many as there may be. DELETE /__admin/worlds/NAME ends one.")
      }
      let (lane, make) = (lane, make)
      let making = Task { try await lane.run { try make(name) } }
      others[name] = Entry(making: making)
      return making
    }
    do {
      let world = try await making.value
      others.withLock { others in
        if others[name]?.making == making { others[name]?.world = world }
      }
      return world
    } catch {
      others.withLock { others in
        if others[name]?.making == making { others[name] = nil }
      }
      throw error
    }
  }

  /// Ends a world, after the requests that are under way in it; false when there is none of this name.
  public func remove(_ name: String) async throws -> Bool {
    guard let entry = others.withLock({ $0.removeValue(forKey: name) }) else { return false }
    let world = try await entry.making.value
    await world.empty()
    do {
      try await lane.run { world.close() }
    } catch {
      // The lane is full, and nobody else will end it.
      world.close()
    }
    return true
  }

  /// All that there are at this moment, the main one first, then by name.
  public var all: [World] {
    [main] + others.withLock { $0.sorted { $0.key < $1.key }.compactMap(\.value.world) }
  }

  /// Runs `body` for the application of each, one after the other, whatever goes wrong in another.
  ///
  /// - Throws: the first error.
  public func forEach(_ body: (Application) async throws -> Void) async throws {
    var failure: (any Error)?
    // Those that end meanwhile are left out.
    for world in all where world.attendance.enter() {
      defer { world.attendance.leave() }
      do {
        try await body(world.application)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Forgets the faults of all of them, so that a server that stops need not wait for answers that they make late.
  public func removeFaults() {
    for world in all { world.faults.removeAll() }
  }

  /// Ends the waiting for requests in all of them, so that a server that stops need not wait for it.
  public func endWaiting() {
    for world in all { world.journal.endWaiting() }
  }

  /// Ends all of them. No request may be under way. Blocks meanwhile.
  public func close() {
    for world in all { world.close() }
  }

  /// The world that a request is for, which does not end before the request has left.
  private func enter(for request: Request) async throws -> World {
    while true {
      let world = try await world(of: request)
      // One that has just been ended has made room for another of its name.
      if world.attendance.enter() { return world }
    }
  }

  private func world(of request: Request) async throws -> World {
    let fields = request.head.fields
    guard fields.count(of: .testWorld) <= 1 else {
      throw ControlError.badRequest("There are several fields X-Test-World. A request is for one world.")
    }
    if let name = fields.text(.testWorld) {
      // Each takes memory and a thread: who is allowed nothing else must not make any.
      guard others.withLock({ $0[name] != nil }) || isAllowed(request) else { throw ControlError.unknownWorld }
      return try await world(named: name)
    }
    // A photo's address is opened by whatever shows pictures, which names no world. The ids that the server makes are in
    // one of them only; of those that tests give, the first world's is meant.
    guard Application.isPhotoAddress(request), !main.application.hasPhoto(request) else { return main }
    return all.first { $0.application.hasPhoto(request) } ?? main
  }
}

extension FieldName {
  /// Names the world that a request is for.
  static let testWorld = FieldName("x-test-world")
}
