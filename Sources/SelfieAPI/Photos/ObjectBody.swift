import HTTPMessages
import Logging
import Platform

// Reads a photo from an object store for a response. ObjectBytes.swift stores and deletes photos there.
extension ObjectBytes {
  /// The first piece is fetched before this returns, so that its client can be told of a failure as of any other.
  func body(
    of id: String, byteCount: Int64, offset: Int64, length: Int64, isFetched: Bool, flow: @autoclosure () -> Flow,
    memory: MemoryBudget
  ) async throws -> Response.Body? {
    let flow = flow()
    guard isFetched, length > 0 else {
      guard try await objects.size(id, flow: flow) == byteCount else { return nil }
      return .stream(stream(of: id, flow), offset: offset, length: length)
    }
    let count = Int(min(length, Int64(BodyStream.maxPieceBytes)))
    let reservation = MemoryReservation(of: memory)
    try reservation.require(count)
    do {
      let bytes = try await objects.get(id, offset..<offset + Int64(count), flow: flow)
      let first = FirstPiece(offset: offset, bytes: bytes, memory: reservation)
      return .stream(stream(of: id, flow, first: first), offset: offset, length: length)
    } catch let error as PhotoObjectsError where error.kind == .missing {
      return nil
    } catch let error as PhotoObjectsError where error.kind == .unexpected {
      // An object that is too short does not have the range.
      if let size = try await objects.size(id, flow: flow), size != byteCount { return nil }
      throw error
    }
  }

  /// The piece that is fetched before the others.
  private struct FirstPiece {
    let offset: Int64
    let bytes: [UInt8]
    /// Is reserved for the bytes.
    let memory: MemoryReservation
  }

  private func stream(of id: String, _ flow: Flow, first: FirstPiece? = nil) -> BodyStream {
    let first = Monitor(first)
    return BodyStream { offset, count in
      // For the first who asks for it. Its memory is given back then, since the server counts the bytes.
      let fetched = first.withLock { first -> [UInt8]? in
        guard let piece = first, piece.offset == offset, piece.bytes.count <= count else { return nil }
        first = nil
        return piece.bytes
      }
      if let fetched { return fetched }
      return try await objects.get(id, offset..<offset + Int64(count), flow: flow)
    } ended: { [logger] failure in
      guard let failure else { return }
      logger.warning(
        "a photo was not sent completely",
        metadata: ["photo": "\(id.prefix(Photo.loggedLetters))…", "error": "\(failure)"])
    }
  }
}
