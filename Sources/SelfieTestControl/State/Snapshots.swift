import HTTPMessages
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

    func writeMembers(to json: inout JSONWriter) {
      json.member("name", name)
      json.member("saved_at", time: savedAt)
      counts.writeMembers(to: &json)
    }
  }

  private let state: StoredState
  private typealias ByName = [String: (summary: Summary, document: StateDocument, blobs: [Blob])]
  private let snapshots = Monitor(ByName())

  package init(of state: StoredState) {
    self.state = state
  }

  /// All snapshots, sorted by name.
  public var list: [Summary] {
    snapshots.withLock { $0.values.map(\.summary) }.sorted { $0.name < $1.name }
  }

  /// Saves the stored data under a name, in place of an earlier snapshot of that name.
  ///
  /// - Parameter name: 1 to 64 letters, digits, dots, hyphens and underscores, but not `.` or `..`.
  /// - Throws: `ControlError` when there are too many.
  @discardableResult
  public func save(_ name: String) async throws -> Summary {
    guard name.isResourceName else {
      throw ControlError(.invalid, "A snapshot's name must have \(String.resourceNameRule)")
    }
    let (document, blobs) = try await state.captureState()
    let summary = Summary(name: name, savedAt: state.application.clock(), counts: document.counts)
    try await change { snapshots in
      guard snapshots[name] != nil || snapshots.count < Self.maxCount else {
        throw ControlError(
          .full, "There are \(Self.maxCount) snapshots, which is the maximum. Delete one, or replace one.")
      }
      snapshots[name] = (summary, document, blobs)
    }
    return summary
  }

  /// Replaces the stored data by that of a snapshot.
  ///
  /// - Throws: `ControlError` when the snapshot does not exist.
  @discardableResult
  public func restore(_ name: String) async throws -> Summary {
    guard let snapshot = snapshots.withLock({ $0[name] }) else { throw Self.unknown(name) }
    try await state.importState(snapshot.document)
    return snapshot.summary
  }

  /// Deletes a snapshot.
  ///
  /// - Throws: `ControlError` when the snapshot does not exist.
  public func delete(_ name: String) async throws {
    try await change { guard $0.removeValue(forKey: name) != nil else { throw Self.unknown(name) } }
  }

  /// Changes the snapshots in the pool, since the files of those that leave are removed.
  private func change(_ body: @escaping @Sendable (inout ByName) throws -> Void) async throws {
    try await state.photos.pool.run { try self.snapshots.withLock(body) }
  }

  private static func unknown(_ name: String) -> ControlError {
    ControlError(.notFound, "There is no snapshot named \(name).")
  }
}
