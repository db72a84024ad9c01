import Synchronization

/// The body of a request: read once, front to back, as fast as the reader asks for it.
public struct RequestBody: Sendable {
  /// Where the bytes come from.
  public protocol Source: Sendable {
    /// The next bytes, never an empty array; nil at the end.
    func next() async throws(BodyError) -> [UInt8]?
  }

  /// How many bytes there will be, where the client said so; nil when it sends chunks.
  public let length: Int?
  private let source: (any Source)?

  /// No body at all.
  public static let none = RequestBody(length: 0, source: nil)

  /// A body that comes from elsewhere.
  public init(length: Int?, source: (any Source)?) {
    self.length = length
    self.source = source
  }

  /// A body that is there already.
  public init(_ bytes: [UInt8]) {
    self.init(length: bytes.count, source: WholeBody(bytes))
  }

  /// Whether it is known beforehand that nothing will come.
  public var isEmpty: Bool { length == 0 }

  /// The next bytes, never an empty array; nil at the end.
  public func next() async throws(BodyError) -> [UInt8]? {
    guard let source else { return nil }
    return try await source.next()
  }

  /// All of it.
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
  /// Its framing breaks the rules of HTTP; what is wrong, for people.
  case malformed(String)
  /// It came too slowly.
  case timedOut
  /// The client went away.
  case disconnected
}

/// A body that is in memory.
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
