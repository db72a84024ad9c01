import Platform
import SelfieAPI

/// Objects in memory, for tests of the rows that belong to them.
package final class MemoryObjects: PhotoObjects {
  private let objects = Monitor<[String: [UInt8]]>([:])
  private let turnsTaken = Monitor<[Flow]>([])
  private let isAway = Monitor(false)

  package init() {}

  /// For whom requests were made, in their order.
  package var turns: [Flow] { turnsTaken.withLock { $0 } }

  /// Lets deletions fail from now on, or no more.
  package func failDeletions(_ fail: Bool) { isAway.withLock { $0 = fail } }

  package func put(
    _ id: String, _ file: OpenFile, byteCount: Int64, sha256: [UInt8], flow: Flow
  ) async throws -> Bool {
    turnsTaken.withLock { $0.append(flow) }
    let bytes = try FileSystem.read(file, at: 0, Int(byteCount), path: "")
    objects.withLock { $0[id] = bytes }
    return false
  }

  package func get(_ id: String, _ range: Range<Int64>, flow: Flow) async throws -> [UInt8] {
    turnsTaken.withLock { $0.append(flow) }
    guard let bytes = objects.withLock({ $0[id] }) else { throw PhotoObjectsError(.missing, "no object") }
    return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
  }

  package func size(_ id: String, flow: Flow) async throws -> Int64? {
    turnsTaken.withLock { $0.append(flow) }
    return objects.withLock { $0[id].map { Int64($0.count) } }
  }

  package func delete(_ id: String) async throws {
    if isAway.withLock({ $0 }) { throw PhotoObjectsError(.away, "the store is away") }
    objects.withLock { $0[id] = nil }
  }

  package func presignedURL(of id: String, fields: [(name: String, value: String)]) -> String? { nil }

  package var statistics: ClientStatistics? { nil }

  package func close() {}
}
