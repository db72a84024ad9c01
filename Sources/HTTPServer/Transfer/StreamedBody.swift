import HTTPMessages
import Platform

/// A streamed body, or a part of one, as far as it has been fetched. A `BodyStream` gives the pieces, and
/// `PendingResponse` writes them.
///
/// A class, so that a response without one carries no more than a pointer.
final class StreamedBody {
  /// How the client sees where the body ends (RFC 9112 §6.3).
  enum Framing {
    case length
    case chunked
    case untilClose
  }

  let source: BodyStream
  let framing: Framing
  /// Where the next piece begins.
  private(set) var offset: Int64
  /// If the length is not known, any number until the source has ended.
  private var remaining: Int64
  /// Sent with the first piece: until that is there, another response can take this one's place.
  private var head: [UInt8]?
  /// Counts one piece, which is all that is held at a time; nil until the first is asked for.
  private(set) var memory: MemoryReservation?

  /// - Parameter length: not given for a body of unknown length.
  init(_ source: BodyStream, framing: Framing, offset: Int64 = 0, length: Int64 = .max, head: [UInt8]) {
    self.source = source
    self.framing = framing
    self.offset = offset
    self.head = head
    remaining = length
  }

  /// Whether all of it has been fetched.
  var isFinished: Bool { remaining <= 0 }

  /// How many bytes the next piece has at most.
  var nextCount: Int { Int(min(remaining, Int64(BodyStream.maxPieceBytes))) }

  /// Whether nothing of the response has been written, not even its head.
  var isUnsent: Bool { head?.isEmpty == false }

  /// Makes sure that there is memory for the pieces; false if there is none. Those of a body of unknown length are
  /// counted when they have come: most are small, and their source asks for no more than a few at a time.
  func reserveMemory(of budget: MemoryBudget) -> Bool {
    guard memory == nil else { return true }
    let reservation = MemoryReservation(of: budget)
    guard framing != .length || reservation.resize(to: nextCount) else { return false }
    memory = reservation
    return true
  }

  /// Counts the memory of a piece that has come; false if there is none for it.
  func countMemory(of piece: [UInt8]) -> Bool {
    guard let memory, piece.count > memory.bytes else { return true }
    return memory.resize(to: piece.count)
  }

  /// Moves to the end of a piece that has come; an empty piece ends a body of unknown length.
  ///
  /// - Returns: the bytes to write before it.
  func advance(by count: Int) -> [UInt8] {
    let isFirst = head != nil
    var before = head.take() ?? []
    offset += Int64(count)
    switch framing {
    case .length: remaining -= Int64(count)
    case .chunked, .untilClose: if count == 0 { remaining = 0 }
    }
    guard framing == .chunked else { return before }
    // The line end of the chunk before (RFC 9112 §7.1).
    if !isFirst { before += "\r\n".utf8 }
    before += String(count, radix: 16).utf8
    before += (count == 0 ? "\r\n\r\n" : "\r\n").utf8
    return before
  }
}
