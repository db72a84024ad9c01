import Logging
import Platform

/// How objects are deleted that have no row any more.
extension PhotoLibrary {
  /// How many objects are deleted at once without a client that waits. More are left to the next purge.
  private static let maxDeletions = 32
  /// How many of them a purge deletes at once. Requests for photos use the same connections.
  private static let maxPurgedAtOnce = 4
  /// How long the others leave an object alone that a process has claimed, in milliseconds: far longer than it takes to
  /// delete a hundred.
  private static let claimTime: Int64 = 600_000

  /// Deletes the object of a photo that is among the removed ones, and forgets it. Nobody waits for that.
  func deleteSoon(_ id: String, from objects: PhotoObjects) {
    let isTaken = deletions.withLock { count in
      guard count < Self.maxDeletions else { return false }
      count += 1
      return true
    }
    guard isTaken else { return }
    Task {
      defer { deletions.withLock { $0 -= 1 } }
      if let failure = await delete([id], from: objects) { report(failure) }
    }
  }

  /// Has the objects of uploads deleted whose processes have ended, and of deleted photos that are still there. All
  /// processes may do this at once: they share the work.
  func purge(_ objects: PhotoObjects) async throws {
    while try await store.sweepUploads(startedBefore: sweepAfter * 1000) > 0 {}
    var failure: (any Error)?
    var count = 0
    while case let ids = try await store.claimRemoved(for: Self.claimTime), !ids.isEmpty {
      count += ids.count
      guard let error = await delete(ids, from: objects) else { continue }
      failure = error
      if Self.endsPurge(error) { break }
    }
    // Nothing is known of the store if there was nothing to delete, or if that was cancelled.
    if count > 0, !(failure is CancellationError) { report(failure) }
  }

  /// Deletes objects, and forgets those that are gone for good.
  ///
  /// - Returns: why not all of them are gone; nil if they are.
  private func delete(_ ids: [String], from objects: PhotoObjects) async -> (any Error)? {
    var failure: (any Error)?
    var gone: [String] = []
    await withTaskGroup(of: (id: String, error: (any Error)?).self) { group in
      var rest = ids[...]
      var running = 0
      repeat {
        while running < Self.maxPurgedAtOnce, !(failure.map(Self.endsPurge) ?? false), let id = rest.popFirst() {
          group.addTask { await Self.delete(id, from: objects) }
          running += 1
        }
        guard let (id, error) = await group.next() else { break }
        running -= 1
        if let error { failure = error } else { gone.append(id) }
      } while running > 0 || !rest.isEmpty
    }
    do {
      if !gone.isEmpty { try await store.forgetRemoved(gone) }
    } catch {
      failure = failure ?? error
    }
    return failure
  }

  private static func delete(_ id: String, from objects: PhotoObjects) async -> (id: String, error: (any Error)?) {
    do {
      try await objects.delete(id)
      return (id, nil)
    } catch {
      return (id, error)
    }
  }

  /// Whether what else is to be deleted can wait. While the store is away, each try takes as long as all of its attempts;
  /// and a server that stops must not claim what others could delete.
  private static func endsPurge(_ error: any Error) -> Bool {
    kind(of: error) == .away || error is CancellationError
  }

  private static func kind(of error: any Error) -> PhotoObjectsError.Kind? {
    (error as? PhotoObjectsError)?.kind
  }

  /// Logs a change, and not each try.
  private func report(_ failure: (any Error)?) {
    let state = failure.map { error in Self.kind(of: error).map { "\($0)" } ?? "\(type(of: error))" }
    let isNew = reportedFailure.withLock { reported in
      defer { reported = state }
      return reported != state
    }
    guard isNew else { return }
    if let failure {
      logger.warning("objects of deleted photos stay for now", metadata: ["error": "\(failure)"])
    } else {
      logger.notice("objects of deleted photos can be deleted again")
    }
  }
}
