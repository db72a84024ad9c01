package import Platform
import Synchronization

// The body of a request, its memory and its errors. The body of a response may be a `BodyStream`.

/// The body of a request. It can be read once, and arrives only as fast as it is read. Its bytes come from a `Source`:
/// usually `ConnectionBody` in HTTPServer, which reads the client's socket.
package struct RequestBody: Sendable {
  /// Gives the bytes of a body to its reader.
  package protocol Source: Sendable {
    /// The next bytes, never an empty array; nil at the end.
    func next() async throws(BodyError) -> [UInt8]?
  }

  /// How many bytes the client has announced; nil if the body is chunked.
  package let length: Int?
  private let source: (any Source)?
  /// Counts what its reader holds of it; nil if it is not counted.
  package let memory: RequestMemory?

  package static let none = RequestBody(length: 0, source: nil)

  package init(length: Int?, source: (any Source)?, memory: RequestMemory? = nil) {
    self.length = length
    self.source = source
    self.memory = memory
  }

  /// A body that is in memory.
  package init(_ bytes: [UInt8]) {
    self.init(length: bytes.count, source: WholeBody(bytes))
  }

  /// Whether it is known that nothing will arrive.
  package var isEmpty: Bool { length == 0 }

  /// The next bytes, never an empty array; nil at the end.
  package func next() async throws(BodyError) -> [UInt8]? {
    guard let source else { return nil }
    return try await source.next()
  }

  /// The whole body.
  ///
  /// - Throws: `BodyError.tooLarge` as soon as it is known to exceed `limit` bytes, and `BodyError.outOfMemory`.
  package func collect(upTo limit: Int) async throws(BodyError) -> [UInt8] {
    if let length, length > limit { throw .tooLarge(limit: limit) }
    memory?.isCollected = true
    guard var whole = try await next() else { return [] }
    var capacity = whole.count
    try hold(capacity)
    while whole.count <= limit, let more = try await next() {
      let needed = whole.count + more.count
      if needed > capacity {
        // No more than announced, and never much more than has arrived.
        capacity = max(needed, min(2 * capacity, length ?? limit))
        try hold(capacity)
        // In the heap, bodies that grow and end would leave gaps that are too small for other bodies.
        whole.reserveCapacity(capacity < Self.minLargeBytes ? capacity : max(capacity, largeAllocationBytes))
      }
      whole += more
    }
    if whole.count > limit { throw .tooLarge(limit: limit) }
    return whole
  }

  /// From this size on, a collected body gets an allocation with pages of its own.
  private static let minLargeBytes = 128 * 1024

  /// Whether the reader may hold more of this body than it must, to be faster.
  package var mayBeHeld: Bool { memory?.isAmple ?? true }

  /// Counts how many bytes the reader of this body holds, in all.
  ///
  /// - Throws: `BodyError.outOfMemory` if the server's clients hold too much.
  package func hold(_ bytes: Int) throws(BodyError) {
    guard memory?.hold(bytes) ?? true else { throw .outOfMemory }
  }
}

/// Counts the head of a request and what the reader of its body holds, while the request is handled.
package final class RequestMemory: Sendable {
  private let reservation: MemoryReservation
  private let headBytes: Int
  private let collected = Atomic<Bool>(false)

  /// Counts nothing yet.
  package init(of budget: MemoryBudget, headBytes: Int = 0) {
    reservation = MemoryReservation(of: budget)
    self.headBytes = headBytes
  }

  /// Bytes that are counted now.
  package var bytes: Int { reservation.bytes }

  /// Whether the server's clients hold little memory.
  var isAmple: Bool { reservation.budget.isAmple }

  /// Counts the head and `bytes` of the body; false if there is no memory for them.
  package func hold(_ bytes: Int) -> Bool { reservation.resize(to: headBytes + bytes) }

  /// Whether the body is kept until all of it has arrived.
  package internal(set) var isCollected: Bool {
    get { collected.load(ordering: .relaxed) }
    set { collected.store(newValue, ordering: .relaxed) }
  }
}

extension MemoryReservation {
  /// Reserves so many bytes in all.
  ///
  /// - Throws: `BodyError.outOfMemory` if they are not there.
  package func require(_ bytes: Int) throws(BodyError) {
    guard resize(to: bytes) else { throw .outOfMemory }
  }

  /// Reserves nothing yet.
  ///
  /// - Throws: `BodyError.outOfMemory` if `require` would throw it now.
  package func requireRoom(for bytes: Int) throws(BodyError) {
    guard budget.hasRoom(for: bytes - self.bytes, total: bytes) else { throw .outOfMemory }
  }
}

/// Why a body could not be read to its end.
package enum BodyError: Error, Sendable, Equatable {
  /// It has more bytes than the reader accepts.
  case tooLarge(limit: Int)
  /// Its framing breaks the rules of HTTP. The text says what is wrong, for the client's developer.
  case malformed(String)
  /// It arrived too slowly.
  case timedOut
  /// The client went away.
  case disconnected
  /// The server's clients hold too much memory.
  case outOfMemory
}

private final class WholeBody: RequestBody.Source {
  private let bytes: Mutex<[UInt8]?>

  init(_ bytes: [UInt8]) {
    self.bytes = Mutex(bytes.isEmpty ? nil : bytes)
  }

  func next() async throws(BodyError) -> [UInt8]? {
    bytes.withLock { bytes in
      defer { bytes = nil }
      return bytes
    }
  }
}
