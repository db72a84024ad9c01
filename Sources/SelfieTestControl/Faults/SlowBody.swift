import HTTPMessages
import SelfieTestDocuments
import Synchronization

extension Request {
  /// The request with a body that is read in pieces.
  ///
  /// - Parameter pause: waits between two of them.
  func reading(in pieces: FaultRule.Drip, pause: @escaping @Sendable (Duration) async -> Void) -> Request {
    guard !body.isEmpty else { return self }
    let slow = SlowBody(body, pieces, pause)
    return Request(
      head: head, body: RequestBody(length: body.length, source: slow, memory: body.memory), peer: peer,
      context: context)
  }
}

/// The client can send no more than is read, so that its upload takes as long.
private final class SlowBody: RequestBody.Source {
  private let body: RequestBody
  private let pieces: FaultRule.Drip
  private let pause: @Sendable (Duration) async -> Void
  private let state = Mutex((rest: ArraySlice<UInt8>(), isFirst: true))

  init(_ body: RequestBody, _ pieces: FaultRule.Drip, _ pause: @escaping @Sendable (Duration) async -> Void) {
    (self.body, self.pieces, self.pause) = (body, pieces, pause)
  }

  func next() async throws(BodyError) -> [UInt8]? {
    if !state.withLock({ $0.isFirst }) { await pause(.milliseconds(pieces.every.milliseconds)) }
    if state.withLock({ $0.rest.isEmpty }) {
      guard let bytes = try await body.next() else { return nil }
      state.withLock { $0.rest = bytes[...] }
    }
    return state.withLock { state in
      defer { (state.rest, state.isFirst) = (state.rest.dropFirst(pieces.bytes), false) }
      return Array(state.rest.prefix(pieces.bytes))
    }
  }
}
