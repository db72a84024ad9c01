/// All limits the server sets its clients. Sizes are in bytes, times in milliseconds. The limits on what the API
/// accepts in a request are `RequestLimits` in SelfieAPI.
package struct Limits: Sendable {
  /// The request line. nginx and Apache accept 8 KiB. The longest line of a known client, a sign-in by query string, has
  /// less than 300 bytes.
  package var maxRequestLine = 8 * 1024

  /// The request line and all header fields together.
  package var maxHead = 32 * 1024

  /// Header fields. Browsers and phones send about ten, and proxies add a few.
  package var maxFieldCount = 100

  /// The size line of one chunk with its extensions, and all trailers together (RFC 9112 §7.1). The server uses none of
  /// them.
  package var maxChunkLine = 256
  package var maxTrailers = 8 * 1024

  /// The extensions of all chunks of a body together.
  package var maxChunkExtensions = 8 * 1024

  /// The part of a body that its reader gets at a time, if so much has arrived: large enough that an upload takes few
  /// system calls, small enough that a thousand uploads at once fit in memory and that reading it takes 0.1 ms.
  package var maxBodyChunk = 192 * 1024

  /// Connections open at once. For a new one, connections without a request give way, and those of slow clients as below
  /// (`shortageDelay`), first those of the address (or IPv6 /64) that has most; without any, the client gets 503. They
  /// also give way when clients have all descriptors (`DescriptorBudget`). The event loops have equal shares of it.
  package var maxConnections = 16_384

  /// From the connection to the end of its TLS handshake, which takes two round trips.
  package var handshakeTimeout: Int64 = 30_000

  /// Handshakes of one event loop that are not done. At the usual rate a loop has finished them within a second.
  package var maxHandshakes = 1024

  /// The first message of a client. The largest known one, with keys for quantum computers, has less than 3 KiB.
  package var maxClientHello = 16 * 1024

  /// From the connection or the last response to the first byte of a request. Phones reuse a connection for about a
  /// minute.
  package var idleTimeout: Int64 = 75_000

  /// From the first byte of a request to the end of its head, which fits into a few packets.
  package var headTimeout: Int64 = 15_000

  /// Between two bytes of a body. A phone that changes cells pauses for up to half a minute.
  package var bodyTimeout: Int64 = 60_000

  /// Between two bytes of a response that the client takes.
  package var writeTimeout: Int64 = 60_000

  /// The minimum data rate of a body or response: the server waits until the client is `dataRateGrace` behind one that
  /// moves `minBytesPerSecond`. A phone at the edge of its network is ten times faster, and may also pause twice for a
  /// minute. A client that sends single bytes to hold a connection is cut off after the grace.
  package var dataRateGrace: Int64 = 120_000
  package var minBytesPerSecond: Int64 = 1024

  /// The minimum rate of data that the server holds in memory meanwhile: a body that is needed as a whole, or a list. A
  /// phone at the edge of its network is just fast enough.
  package var heldDataRateGrace: Int64 = 60_000
  package var minHeldBytesPerSecond: Int64 = 8 * 1024

  /// While the server is short of memory, it drops the clients that have kept it waiting longest, each of which holds
  /// `minDroppedBytes` or more and is `shortageDelay` behind a client that moves `shortageBytesPerSecond`. An ordinary
  /// phone is faster, and what holds less is not worth an error: of the smallest `MEMORY_LIMIT`, all connections
  /// together can take half in such amounts.
  package var shortageBytesPerSecond: Int64 = 64 * 1024
  package var shortageDelay: Int64 = 1_000
  package var minDroppedBytes = 4 * 1024

  /// A client that holds more than this and more than an eighth of what all clients of an event loop hold makes room
  /// first, however fast it is: a few hundred bodies that arrive just fast enough would otherwise take all memory.
  package var minShare = 1024 * 1024

  /// Between two times that the slowest clients are dropped: time for what they held to be given back.
  package var droppingInterval: Int64 = 250

  /// From the head of a request to its response, without the time spent waiting for the body. The slowest endpoint
  /// hashes two passwords, perhaps after a full queue of others.
  package var handlerTimeout: Int64 = 120_000

  /// From asking the source of a streamed body for a piece to the piece. Phones wait for about a minute.
  package var fetchTimeout: Int64 = 65_000

  /// After the last response, while the rest of an unread body arrives: how long the sending side stays open.
  /// A client that is still sending takes the end of the connection for a failure. A phone needs a few round trips to
  /// see the response.
  package var endingTimeout: Int64 = 5_000

  /// As `endingTimeout`, but where nobody knows how much will follow, as after a malformed head. It is shorter, because
  /// some clients wait for the end of the connection, as people with a terminal do.
  package var unframedEndingTimeout: Int64 = 1_000

  /// The bytes thrown away of one connection after a response: twice the largest photo of the default settings. A client
  /// that sends more within seconds has had the time to read the response.
  package var maxEndingBytes = 128 * 1024 * 1024

  /// Connections of one event loop that keep their sending side open after the last response. Throwing away what they
  /// send costs time that others could use; beyond this number the sending side ends at once.
  package var maxEndingConnections = 256

  /// After the sending side has been closed: how long the client may go on sending before the connection closes, so that
  /// it can read the response, and how long it may pause (nginx: 30 s and 5 s).
  package var lingerTimeout: Int64 = 30_000
  package var lingerPauseTimeout: Int64 = 5_000

  /// Clients beyond `maxConnections` that are told 503 and may take their time to read it. They use up spare
  /// descriptors, so they are few. The others are closed at once, and may lose the response.
  package var maxRefusedClients = 16

  /// How long current requests may take to finish when the server stops.
  package var drainTimeout: Int64 = 30_000

  /// How long the first request of a new connection may take to arrive when the server stops: a phone's round trip.
  package var firstRequestTimeout: Int64 = 1_000

  package init() {}
}
