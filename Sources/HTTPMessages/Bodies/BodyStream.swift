import Synchronization

/// Bytes of a response that are fetched while they are sent, such as those of an object in an object store. The body of
/// a request is a `RequestBody`.
///
/// The server asks for one piece after the other, in their order, and for the next one only when the client has taken
/// the one before. So a slow client makes the server hold one piece, and the source need not hold anything.
package final class BodyStream: Sendable {
  /// Why a body could not be sent as it was promised.
  package enum Failure: Error {
    case unreadable(any Error)
    /// The source has ended before the promised length.
    case tooShort
    /// The source has given more than it was asked for. Its client got what was promised.
    case tooLong
    /// The source has not given a piece in time.
    case timedOut
    /// The server's clients hold too much memory. The source was not asked, or has not begun.
    case outOfMemory
  }

  /// The most that is asked for at once.
  package static let maxPieceBytes = 1024 * 1024

  private let fetch: @Sendable (_ offset: Int64, _ count: Int) async throws -> [UInt8]
  private let ended: @Sendable (Failure?) -> Void
  private let hasEnded = Atomic<Bool>(false)
  private let hasGivenTooMuch = Atomic<Bool>(false)

  /// - Parameters:
  ///   - fetch: returns the bytes from an offset on, `count` of them or fewer; none if there are none. Its task is
  ///     cancelled when the client goes away.
  ///   - ended: called once, when nothing more will be fetched, with the reason if the body could not be sent as it was
  ///     promised. That a client has gone away is no such reason.
  package init(
    fetch: @escaping @Sendable (_ offset: Int64, _ count: Int) async throws -> [UInt8],
    ended: @escaping @Sendable (Failure?) -> Void = { _ in }
  ) {
    self.fetch = fetch
    self.ended = ended
  }

  deinit {
    end()
  }

  /// At least one byte from an offset on, and at most `count`.
  ///
  /// - Parameter mayEnd: whether the source may have no more, which is told by no bytes.
  package func piece(at offset: Int64, count: Int, mayEnd: Bool = false) async throws(Failure) -> [UInt8] {
    let bytes: [UInt8]
    do {
      bytes = try await fetch(offset, count)
    } catch BodyError.outOfMemory {
      throw .outOfMemory
    } catch {
      throw .unreadable(error)
    }
    guard !bytes.isEmpty || mayEnd else { throw .tooShort }
    guard bytes.count > count else { return bytes }
    hasGivenTooMuch.store(true, ordering: .relaxed)
    return Array(bytes.prefix(count))
  }

  /// All that the source has, whose length is not known.
  package func collect() async throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = try await piece(at: Int64(bytes.count), count: Self.maxPieceBytes, mayEnd: true)
      guard !piece.isEmpty else { return bytes }
      bytes += piece
    }
  }

  /// Tells the source that nothing more will be fetched, unless it was told already. It is told in any case when
  /// the stream is released.
  package func end(_ failure: Failure? = nil) {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    ended(failure ?? (hasGivenTooMuch.load(ordering: .relaxed) ? .tooLong : nil))
  }
}
