import Platform
import SelfieAPI

/// Saves the stored data under names, so that a test can restore it. Snapshots last as long as the server runs and
/// survive a reset.
public final class Snapshots: Sendable {
  /// More than a test needs. Each snapshot keeps its users in memory, and the files of its photos.
  public static let maxCount = 100

  public struct Summary: Sendable, Equatable {
    public let name: String
    /// Unix milliseconds.
    public let savedAt: Int64
    public let counts: StateCounts
  }

  private struct Snapshot {
    let document: StateDocument
    let savedAt: Int64

    var digests: [[UInt8]] { document.photos.compactMap(\.content.sha256) }
  }

  private let state: StoredState
  private let snapshots = Monitor<[String: Snapshot]>([:])

  package init(of state: StoredState) {
    self.state = state
  }

  /// All snapshots, sorted by name.
  public var list: [Summary] {
    snapshots.withLock { snapshots in
      snapshots.map { Summary(name: $0, savedAt: $1.savedAt, counts: $1.document.counts) }.sorted { $0.name < $1.name }
    }
  }

  /// Saves the stored data under a name, in place of an earlier snapshot of that name.
  ///
  /// - Parameter name: 1 to 64 letters, digits, dots, hyphens and underscores, but not `.` or `..`.
  /// - Throws: `StateError` when there are too many.
  @discardableResult
  public func save(_ name: String) async throws -> Summary {
    guard ResourceName.isName(name) else {
      throw StateError(
        .invalid, "A snapshot's name is of 1 to 64 letters, digits, dots, hyphens and underscores, but not . or ..")
    }
    let document = try await state.captureState()
    let snapshot = Snapshot(document: document, savedAt: state.application.clock())
    let (isSaved, replaced) = snapshots.withLock { snapshots -> (Bool, Snapshot?) in
      guard snapshots[name] != nil || snapshots.count < Self.maxCount else { return (false, nil) }
      return (true, snapshots.updateValue(snapshot, forKey: name))
    }
    try await release(isSaved ? replaced : snapshot)
    guard isSaved else {
      throw StateError(
        .full, "There are \(Self.maxCount) snapshots, as many as there may be. Delete one, or replace one.")
    }
    return Summary(name: name, savedAt: snapshot.savedAt, counts: document.counts)
  }

  /// Replaces the stored data by that of a snapshot.
  ///
  /// - Throws: `StateError` when the snapshot does not exist.
  @discardableResult
  public func restore(_ name: String) async throws -> Summary {
    guard let snapshot = snapshots.withLock({ $0[name] }) else { throw Self.unknown(name) }
    try await state.importState(snapshot.document)
    return Summary(name: name, savedAt: snapshot.savedAt, counts: snapshot.document.counts)
  }

  /// Deletes a snapshot.
  ///
  /// - Throws: `StateError` when the snapshot does not exist.
  public func delete(_ name: String) async throws {
    guard let snapshot = snapshots.withLock({ $0.removeValue(forKey: name) }) else { throw Self.unknown(name) }
    try await release(snapshot)
  }

  private func release(_ snapshot: Snapshot?) async throws {
    guard let snapshot, !snapshot.document.photos.isEmpty else { return }
    let blobs = state.blobs
    try await state.photos.pool.run { blobs.release(snapshot.digests) }
  }

  private static func unknown(_ name: String) -> StateError {
    StateError(.notFound, "There is no snapshot named \(name).")
  }
}
