import Platform
import SelfieAPI

extension PhotoObjects {
  /// Objects in memory, for tests of the rows that belong to them.
  package static func inMemory() -> PhotoObjects {
    let objects = Monitor<[String: [UInt8]]>([:])
    return PhotoObjects(
      put: { id, file, length, _, _ in
        let bytes = try FileSystem.read(file, at: 0, Int(length), path: "")
        objects.withLock { $0[id] = bytes }
        return .stored(wasRetried: false)
      },
      get: { id, range, _ in
        guard let bytes = objects.withLock({ $0[id] }) else { throw PhotoObjectsError(.missing, "no object") }
        return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
      },
      size: { id, _ in objects.withLock { $0[id].map { Int64($0.count) } } },
      delete: { id in objects.withLock { $0[id] = nil } })
  }
}
