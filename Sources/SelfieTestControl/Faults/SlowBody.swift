import HTTPMessages
import Platform
import SelfieTestDocuments

extension Request {
  /// The request with a body that is read in pieces. The client can send no more than is read, so that its upload takes as
  /// long.
  ///
  /// - Parameter pause: waits between two of them.
  func reading(in pieces: FaultRule.Drip, pause: @escaping @Sendable (Duration) async -> Void) -> Request {
    let state = Monitor((rest: ArraySlice<UInt8>(), isFirst: true))
    return withBody { [body] () async throws(BodyError) -> [UInt8]? in
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
}
