import Logging
import Platform
import SelfieAPI

/// The work that a server does at intervals, whatever requests come. Upkeep.swift in SelfieAPI has the work on stored
/// data.
struct Maintenance {
  private let tasks: [Task<Void, Never>]

  /// Expired tokens and the files of deleted photos do no harm. Once in ten minutes keeps them from piling up, at the
  /// cost of a few queries.
  private static let pruningInterval = Duration.seconds(600)
  /// Until a photo has its digest, neither a backup nor doctor can tell that it is damaged. To find that there is no
  /// new photo takes one query.
  private static let digestingInterval = Duration.seconds(5)

  /// Memory returns to the system soon after a wave of clients.
  private static let memoryInterval = Duration.seconds(5)
  init(of backend: Backend, logger: Logger) {
    let uncounted = Monitor(UncountedMemory())
    tasks = [
      Self.repeating("prune", every: Self.pruningInterval, logger) {
        try await backend.forEach { try await $0.prune() }
      },
      Self.repeating("note digests", every: Self.digestingInterval, logger) {
        try await backend.forEach { try await $0.noteDigests() }
      },
      Self.repeating("return memory", every: Self.memoryInterval, logger) {
        let anonymous = ProcessStatistics.anonymousBytes ?? 0
        let bytes = anonymous - Int64(backend.application.memory.usedBytes)
        if uncounted.withLock({ $0.hasGrown(to: bytes) }) { returnUnusedMemory() }
      },
    ]
  }

  /// Blocks until no work is under way: a read that runs while the database closes keeps its log from being
  /// checkpointed.
  func stop() throws {
    for task in tasks { task.cancel() }
    try Blocking.run { [tasks] in for task in tasks { await task.value } }
  }

  private static func repeating(
    _ name: String, every interval: Duration, _ logger: Logger, _ work: @escaping @Sendable () async throws -> Void
  ) -> Task<Void, Never> {
    Task(priority: Blocking.priority) {
      while !Task.isCancelled {
        do {
          try await work()
        } catch {
          guard !Task.isCancelled else { break }
          logger.error("maintenance failed", metadata: ["work": "\(name)", "error": "\(error)"])
        }
        try? await Task.sleep(for: interval)
      }
    }
  }
}
