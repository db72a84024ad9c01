import CLinux
import Glibc
import HTTPMessages
import Platform

/// A connection's non-blocking TCP socket, closed by `shut` or when it is released. Everything a connection reads and
/// writes passes through here, and through TLS once `startTLS` was called. `TLSSession` has TLS, and `HTTPConnection`
/// decides what is read and written.
final class Socket {
  /// How a read or a write ended.
  enum Outcome {
    case moved(Int)
    /// Not now; an event will say when.
    case wouldBlock
    /// The peer has closed its sending side.
    case end
    /// The connection is gone.
    case failed
  }

  private var descriptor: Int32
  /// Nil while bytes travel as they are.
  private(set) var tls: TLSSession?
  /// Whether a read or a write may succeed. Epoll reports each change once, so it is remembered here.
  var isReadable = false
  private(set) var isWritable = false
  /// Whether the peer has closed its sending side.
  private(set) var isPeerClosed = false
  /// Counts the bytes that move; nil until the socket belongs to an event loop.
  var counters: LoopCounters?

  /// Takes over a connected, non-blocking socket.
  init(owning descriptor: Int32) {
    self.descriptor = descriptor
    var on: Int32 = 1
    // Responses are written whole, so Nagle's algorithm could only delay them.
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit {
    shut()
  }

  /// Closes the socket now, even if it is still referenced.
  func shut() {
    guard descriptor >= 0 else { return }
    tls = nil
    close(descriptor)
    descriptor = -1
  }

  /// Closes the socket as a crash does: the peer receives a reset, and unsent bytes are lost.
  func reset() {
    var noLinger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &noLinger, socklen_t(MemoryLayout<linger>.size))
    shut()
  }

  func watch(with poller: Poller, token: UInt64) -> Bool {
    poller.add(descriptor, token: token)
  }

  /// Remembers what an event says.
  func note(_ event: Poller.Event) {
    if event.isReadable { isReadable = true }
    if event.isPeerClosed { isPeerClosed = true }
    if event.isWritable { isWritable = true }
    // TLS may have to write before it can read.
    if let tls {
      isReadable = true
      tls.mayHaveReceived()
    }
  }

  /// Reads into `buffer`, at most its size.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    let outcome =
      tls?.read(into: buffer)
      ?? outcome(atZero: buffer.isEmpty ? .moved(0) : .end) { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    switch outcome {
    case .moved(let count):
      counters?.add(count, to: .receivedBytes)
      // The end of the peer's side may follow, which no event will report again.
      if isDrained(filledUp: count == buffer.count) && !isPeerClosed { isReadable = false }
    case .wouldBlock: isReadable = false
    case .end, .failed: break
    }
    return outcome
  }

  private func written(_ outcome: Outcome) -> Outcome {
    switch outcome {
    case .moved(let count): counters?.add(count, to: .sentBytes)
    case .wouldBlock: isWritable = false
    case .end, .failed: break
    }
    return outcome
  }

  /// Whether the last read has taken all that has arrived, so that an event will report what comes next.
  ///
  /// - Parameter filledUp: whether it used all the room there was. A short read has emptied the socket (epoll(7)).
  private func isDrained(filledUp: Bool) -> Bool {
    if let tls { return tls.isDrained }
    return !filledUp
  }

  /// A size for the next read's buffer: hardly larger than what has arrived, since many buffers are held in memory, but
  /// enough that the read does not fill it up, which shows that the socket is empty.
  var readableSize: Int {
    var count: Int32 = 0
    guard tls == nil, ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return TLSSession.recordSize }
    return Int(count) + 4096
  }

  /// Whether bytes have arrived that were not read.
  var hasUnreadBytes: Bool { !peek(1).isEmpty }

  /// The first bytes that have arrived, which can still be read, at most `count` of them.
  func peek(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(0, recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_PEEK)))
    }
  }

  /// Reads and throws away what has arrived, at most 64 KiB.
  func discard() -> Outcome {
    withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { read(into: $0) }
  }

  /// Writes a few bytes before a response, as long as the client takes them.
  ///
  /// - Returns: false if only some of them were written.
  func writeInterim(_ bytes: [UInt8]) -> Bool {
    if let tls {
      tls.writeInterim(bytes)
      return true
    }
    guard case .moved(let count) = bytes.withUnsafeBytes({ write($0) }) else { return true }
    return count == bytes.count
  }

  /// Makes a system call that returns how many bytes it has moved, again if a signal interrupts it.
  private func outcome(atZero zero: Outcome = .moved(0), of move: () -> Int) -> Outcome {
    while true {
      let count = move()
      if count > 0 { return .moved(count) }
      if count == 0 { return zero }
      if errno == EINTR { continue }
      // ENOBUFS and ENOMEM end when the kernel has memory again.
      return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ENOMEM ? .wouldBlock : .failed
    }
  }

  /// Writes from two buffers, one after the other; `moreFollows` lets the kernel wait for the rest before it sends a
  /// packet.
  func write(
    _ first: UnsafeRawBufferPointer, then second: UnsafeRawBufferPointer = .init(start: nil, count: 0),
    moreFollows: Bool = false
  ) -> Outcome {
    written(
      tls?.write(first, then: second)
        ?? outcome(of: {
          clinux_send_two(
            descriptor, first.baseAddress, first.count, second.baseAddress, second.count, moreFollows ? 1 : 0)
        }))
  }

  /// Sends the beginning of a part of a file; `.end` when the file is shorter than that.
  func send(_ file: OpenFile, offset: Int64, count: Int64) -> Outcome {
    written(
      tls?.send(file, offset: offset, count: count)
        ?? outcome(atZero: .end) {
          var position = offset
          return clinux_sendfile(descriptor, file.descriptor, &position, Int(clamping: count))
        })
  }

  /// Lets the kernel gather what is written into full packets (TCP_CORK, tcp(7)), or sends what it has gathered. For TLS,
  /// whose records are written one by one; sendfile(2) and `moreFollows` need no help.
  func setCork(_ isOn: Bool) {
    guard tls != nil else { return }
    var value: Int32 = isOn ? 1 : 0
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Closes the sending side; what the peer still sends can be read.
  func endWriting() {
    tls?.sendCloseNotify()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Begins to speak TLS, as the server; false if there is no memory.
  func startTLS(_ context: TLSContext) -> Bool {
    tls = TLSSession(context, descriptor: descriptor)
    return tls != nil
  }

  /// Counts a handshake that has succeeded.
  func countHandshake() {
    switch (tls?.isResumed, tls?.isVersion13) {
    case (false, false): counters?.add(to: .fullHandshakes12)
    case (false, _): counters?.add(to: .fullHandshakes13)
    case (_, false): counters?.add(to: .resumedHandshakes12)
    default: counters?.add(to: .resumedHandshakes13)
    }
  }
}
