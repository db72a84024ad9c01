import HTTPMessages
import Logging
import Platform

extension ObjectBytes {
  /// The first piece is fetched before this returns, so that its client can be told of a failure as of any other.
  func body(
    of id: String, byteCount: Int64, offset: Int64, length: Int64, isFetched: Bool, turn: @autoclosure () -> Turn,
    memory: MemoryBudget
  ) async throws -> Response.Body? {
    let turn = turn()
    guard isFetched, length > 0 else {
      guard try await objects.size(id, turn: turn) == byteCount else { return nil }
      return .stream(stream(of: id, turn), offset: offset, length: length)
    }
    let count = Int(min(length, Int64(BodyStream.maxPieceBytes)))
    let reservation = MemoryReservation(of: memory)
    try reservation.resize(to: count)
    do {
      let bytes = try await objects.get(id, offset..<offset + Int64(count), turn: turn)
      let first = FirstPiece(bytes: bytes, offset: offset, memory: reservation)
      return .stream(stream(of: id, turn, first: first), offset: offset, length: length)
    } catch let error as PhotoObjectsError where error.kind == .missing {
      return nil
    } catch let error as PhotoObjectsError where error.kind == .unexpected {
      // An object that is too short does not have the range.
      if let size = try await objects.size(id, turn: turn), size != byteCount { return nil }
      throw error
    }
  }

  private func stream(of id: String, _ turn: Turn, first: FirstPiece? = nil) -> BodyStream {
    let first = Monitor(first)
    return BodyStream { offset, count in
      // For the first who asks for it. Its memory is given back then, since the server counts the bytes.
      let fetched = first.withLock { first -> [UInt8]? in
        guard let piece = first, piece.offset == offset, piece.bytes.count <= count else { return nil }
        first = nil
        return piece.bytes
      }
      if let fetched { return fetched }
      return try await objects.get(id, offset..<offset + Int64(count), turn: turn)
    } ended: { [logger] failure in
      guard let failure else { return }
      logger.warning(
        "a photo was not sent to its end",
        metadata: ["photo": "\(id.prefix(Photo.loggedLetters))…", "error": "\(failure)"])
    }
  }
}

/// The first piece of a body, which is fetched before the others, with the memory that is reserved for it.
private struct FirstPiece: Sendable {
  let bytes: [UInt8]
  let offset: Int64
  let memory: MemoryReservation
}
