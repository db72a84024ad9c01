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
      let first = FirstPiece(bytes, at: offset, reservation)
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
    BodyStream { offset, count in
      if let bytes = first?.take(at: offset, maxBytes: count) { return bytes }
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
private final class FirstPiece: Sendable {
  private struct Piece {
    let bytes: [UInt8]
    let memory: MemoryReservation
  }

  private let offset: Int64
  private let piece: Monitor<Piece?>

  init(_ bytes: [UInt8], at offset: Int64, _ memory: MemoryReservation) {
    self.offset = offset
    piece = Monitor(Piece(bytes: bytes, memory: memory))
  }

  /// The bytes, for the first caller who asks for them and takes so many.
  func take(at offset: Int64, maxBytes: Int) -> [UInt8]? {
    piece.withLock { piece in
      guard offset == self.offset, let bytes = piece?.bytes, bytes.count <= maxBytes else { return nil }
      piece = nil
      return bytes
    }
  }
}
