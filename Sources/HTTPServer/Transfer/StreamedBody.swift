import HTTPMessages
import Platform

/// A part of a streamed body, as far as it has been fetched.
///
/// A class, so that a response without one carries no more than a pointer.
final class StreamedBody {
  let source: BodyStream
  /// Where the next piece begins.
  private(set) var offset: Int64
  private var remaining: Int64
  /// Sent with the first piece: until that is there, another response can take this one's place.
  private var head: [UInt8]?
  /// Counts one piece, which is all that is held at a time; nil until the first is asked for.
  private(set) var memory: MemoryReservation?

  init(_ source: BodyStream, offset: Int64, length: Int64, head: [UInt8]) {
    self.source = source
    self.offset = offset
    remaining = length
    self.head = head
  }

  /// Whether all of it has been fetched.
  var isFinished: Bool { remaining <= 0 }

  /// How many bytes the next piece has at most.
  var nextCount: Int { Int(min(remaining, Int64(BodyStream.maxPieceBytes))) }

  /// Whether nothing of the response has been written, not even its head.
  var isUnsent: Bool { head?.isEmpty == false }

  /// Makes sure that there is memory for the pieces.
  func reserveMemory(of budget: MemoryBudget) throws(MemoryExhausted) {
    guard memory == nil else { return }
    let reservation = MemoryReservation(of: budget)
    try reservation.resize(to: nextCount)
    memory = reservation
  }

  /// Counts a piece that has come.
  ///
  /// - Returns: what must be written before it.
  func advance(by count: Int) -> [UInt8] {
    offset += Int64(count)
    remaining -= Int64(count)
    return head.take() ?? []
  }
}
