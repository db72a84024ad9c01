import Synchronization

/// The body of a request. It can be read once, and arrives only as fast as it is read.
public struct RequestBody: Sendable {
  public protocol Source: Sendable {
    /// The next bytes, never an empty array; nil at the end.
    func next() async throws(BodyError) -> [UInt8]?
  }

  /// How many bytes the client has announced; nil if the body is chunked.
  public let length: Int?
  private let source: (any Source)?

  public static let none = RequestBody(length: 0, source: nil)

  public init(length: Int?, source: (any Source)?) {
    self.length = length
    self.source = source
  }

  /// A body that is in memory.
  public init(_ bytes: [UInt8]) {
    self.init(length: bytes.count, source: WholeBody(bytes))
  }

  /// Whether it is known that nothing will arrive.
  public var isEmpty: Bool { length == 0 }

  /// The next bytes, never an empty array; nil at the end.
  public func next() async throws(BodyError) -> [UInt8]? {
    guard let source else { return nil }
    return try await source.next()
  }

  /// The whole body.
  ///
  /// - Throws: `BodyError.tooLarge` as soon as it is known to exceed `limit` bytes.
  public func collect(upTo limit: Int) async throws(BodyError) -> [UInt8] {
    if let length, length > limit { throw .tooLarge(limit: limit) }
    guard var whole = try await next() else { return [] }
    while whole.count <= limit, let more = try await next() { whole += more }
    if whole.count > limit { throw .tooLarge(limit: limit) }
    return whole
  }
}

/// Why a body could not be read to its end.
public enum BodyError: Error, Sendable, Equatable {
  /// It has more bytes than the reader accepts.
  case tooLarge(limit: Int)
  /// Its framing breaks the rules of HTTP. The text says what is wrong, for the client's developer.
  case malformed(String)
  /// It arrived too slowly.
  case timedOut
  /// The client went away.
  case disconnected
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
