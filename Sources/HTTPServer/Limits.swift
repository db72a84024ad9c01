/// Every bound the server puts on its clients, in one place.
///
/// Sizes are bytes, times are milliseconds.
public struct Limits: Sendable {
  /// The request line. Eight KiB is what nginx and Apache take; the longest line of a known client,
  /// a sign-in by query string, has less than 300 bytes.
  public var maxRequestLine = 8 * 1024

  /// The request line and all header fields together.
  public var maxHead = 32 * 1024

  /// Header fields. Browsers and phones send about ten, proxies add a few.
  public var maxFieldCount = 100

  /// Bytes of one chunk's size line, extensions included, and of all trailers together
  /// (RFC 9112 §7.1): nothing of them is used.
  public var maxChunkLine = 256
  public var maxTrailers = 8 * 1024

  /// Bytes of a body handed to its reader at a time: large enough that an upload costs few system
  /// calls, small enough that a thousand uploads at once stay in memory.
  public var maxBodyChunk = 64 * 1024

  /// What is read and thrown away of a body that nobody read, to keep the connection usable.
  /// Beyond it a new connection is cheaper than the transfer.
  public var maxDiscardedBody = 256 * 1024

  /// Connections open at once; beyond it a client is told 503. The descriptors that the
  /// process may have bound it too, see `Server`.
  public var maxConnections = 16_384

  /// Descriptors kept free for files, the database and logs; half of them where there are few.
  public var spareDescriptors = 128

  /// From the connection or the last answer to the first byte of a request. Phones reuse a
  /// connection for about a minute.
  public var idleTimeout: Int64 = 75_000

  /// From the first byte of a request to the end of its head, which fits into a few packets.
  public var headTimeout: Int64 = 15_000

  /// Between two bytes of a body: a phone that changes cells pauses for up to half a minute.
  public var bodyTimeout: Int64 = 60_000

  /// A client that takes not one byte of its answer.
  public var writeTimeout: Int64 = 60_000

  /// Over the whole of a body or an answer, the time spent waiting for the client may be this grace
  /// and a second for each `minBytesPerSecond` that it has moved. A phone at the edge of its network
  /// moves ten times that, and may pause twice for a minute besides; who sends a byte every now and
  /// then to hold a connection is gone after the grace.
  public var dataRateGrace: Int64 = 120_000
  public var minBytesPerSecond: Int64 = 1024

  /// From the head of a request to its answer, waiting for the body not counted. The slowest
  /// endpoint hashes two passwords, perhaps behind a full queue of others.
  public var handlerTimeout: Int64 = 120_000

  /// After an answer to a request that was not read to its end: how long the client may go on
  /// sending so that it gets to read the answer, and how long it may pause (nginx: 30 s and 5 s).
  public var lingerTimeout: Int64 = 30_000
  public var lingerPauseTimeout: Int64 = 5_000

  /// How long requests under way may take to finish when the server is told to stop.
  public var drainTimeout: Int64 = 30_000

  public init() {}

  /// How many connections there may be when the process may have so many descriptors: so many that
  /// `accept` does not run out of them, which would leave clients waiting without a word.
  func maxConnections(descriptors: Int) -> Int {
    min(maxConnections, max(descriptors / 2, descriptors - spareDescriptors))
  }
}
