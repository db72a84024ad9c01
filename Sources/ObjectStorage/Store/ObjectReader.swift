import Platform

/// Reads an object piece by piece, each by a request of its own.
///
/// A slow reader holds one piece of the content, but no thread and no connection. A request that fails is sent again
/// for its own piece only, so the reader does not notice.
public struct ObjectReader: Sendable {
  private let store: ObjectStore
  private let key: String
  private let turn: Turn
  /// What has not been read yet.
  private var rest: Range<Int64>

  init(store: ObjectStore, key: String, range: Range<Int64>, turn: Turn) {
    self.store = store
    self.key = key
    self.turn = turn
    rest = range
  }

  /// The next bytes, never an empty array; nil at the end. After an error it may be called again.
  public mutating func next() async throws(ObjectStoreError) -> [UInt8]? {
    guard !rest.isEmpty else { return nil }
    let end = rest.lowerBound + Int64(min(rest.count, ObjectStore.maxPieceBytes))
    let bytes = try await store.get(key, rest.lowerBound..<end, turn: turn)
    rest = end..<rest.upperBound
    return bytes
  }
}
