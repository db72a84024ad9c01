import Platform
import SelfieAPI

extension PhotoObjects {
  /// Objects in memory, for tests of the rows that belong to them.
  static func inMemory() -> PhotoObjects {
    let objects = Monitor<[String: [UInt8]]>([:])
    return PhotoObjects(
      put: { id, file, length, _ in
        let bytes = try FileSystem.read(file, at: 0, Int(length), path: "")
        objects.withLock { $0[id] = bytes }
        return .stored(wasRetried: false)
      },
      get: { id, range in
        guard let bytes = objects.withLock({ $0[id] }) else { throw PhotoObjectsError(.missing, "no object") }
        return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
      },
      size: { id in objects.withLock { $0[id].map { Int64($0.count) } } },
      delete: { id in objects.withLock { $0[id] = nil } })
  }
}
