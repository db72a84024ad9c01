import COpenSSL
import Glibc
import HTTPMessages
import Platform

/// libssl's side of one connection (SSL_set_fd(3)): it reads and writes the socket itself, without a copy in between.
/// `TLSContext` has the settings that all connections share.
///
/// The pointer is safe because it is made and freed here, and used on the thread of its connection's event loop only.
/// libssl keeps none of the buffers that it is given: with SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER, a write that would block
/// is repeated with the same bytes, wherever they are then.
///
/// Each call says why it failed by the error queue of its thread, so the queue must be empty before it.
final class TLSSession {
  /// The most that one record holds (RFC 8446 §5.1).
  static let recordSize = 16 * 1024

  /// The memory of a session, as measured with OpenSSL 3.0: during its handshake, and when it is idle.
  static let handshakeBytes = 48 * 1024
  /// While a second ClientHello arrives, for which libssl sets aside as much as the client announces, 131,396 at most.
  static let secondHelloBytes = handshakeBytes + 131_396
  static let idleBytes = 16 * 1024

  private let pointer: OpaquePointer
  /// Keeps the ticket keys, which libssl's callbacks use.
  private let context: TLSContext
  /// Its `BIO`, which counts what it has read.
  private let source: OpaquePointer
  /// After a fatal error libssl must not be called again.
  private var hasFailed = false
  /// An interim response that the socket has not taken whole.
  private var unsent: [UInt8] = []
  private var controlRecords = 0
  /// Whether the socket was empty when libssl last read it, and no event has come since.
  private var isSocketDrained = false

  /// Records without data that a client may send in all, nearly all of which change keys. Clients do so after gigabytes,
  /// if at all, and each takes as long as a small response.
  private static let maxControlRecords = 64

  /// With an empty buffer libssl asks the socket for more than this. If it has got less, the socket is empty.
  private static let readAhead: UInt64 = 8 * 1024

  /// - Returns: nil if there is no memory.
  init?(_ context: TLSContext, descriptor: Int32) {
    guard let pointer = SSL_new(context.pointer) else { return nil }
    guard SSL_set_fd(pointer, descriptor) == 1, let source = SSL_get_rbio(pointer) else {
      SSL_free(pointer)
      return nil
    }
    SSL_set_accept_state(pointer)
    self.pointer = pointer
    self.context = context
    self.source = source
  }

  deinit {
    SSL_free(pointer)
  }

  /// Goes on with the handshake as far as the client's bytes reach. When it is done, no bytes have moved.
  func handshake() -> Socket.Outcome {
    ERR_clear_error()
    let result = SSL_do_handshake(pointer)
    return result == 1 ? .moved(0) : outcome(of: result)
  }

  /// Whether a ClientHello has arrived in part after the server has asked for another one (RFC 8446 §4.1.4).
  var awaitsSecondHello: Bool { SSL_get_state(pointer) == TLS_ST_SR_CLNT_HELLO && BIO_number_written(source) > 0 }

  /// Whether the last read has taken all that has arrived. False says only that this is not known.
  var isDrained: Bool { isSocketDrained && SSL_has_pending(pointer) == 0 }

  // After the handshake.
  var isResumed: Bool { SSL_session_reused(pointer) == 1 }
  var isVersion13: Bool { SSL_version(pointer) == TLS1_3_VERSION }

  /// Must be called when an event tells that bytes may have arrived.
  func mayHaveReceived() { isSocketDrained = false }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Socket.Outcome {
    guard !hasFailed else { return .failed }
    while controlRecords <= Self.maxControlRecords {
      let before = BIO_number_read(source)
      let hadBytes = SSL_has_pending(pointer) != 0
      var count = 0
      ERR_clear_error()
      errno = 0
      let result = SSL_read_ex(pointer, buffer.baseAddress, buffer.count, &count)
      if result == 1 {
        let received = BIO_number_read(source) &- before
        if received > 0 { isSocketDrained = !hadBytes && received < Self.readAhead }
        return .moved(count)
      }
      let outcome = outcome(of: result)
      // Without SSL_MODE_AUTO_RETRY, a record that holds no data ends the call. The socket may have more.
      guard case .wouldBlock = outcome, errno == 0 else { return outcome }
      controlRecords += 1
    }
    hasFailed = true
    return .failed
  }

  /// Writes from two buffers, one after the other, at most a record if both have bytes.
  func write(_ first: UnsafeRawBufferPointer, then second: UnsafeRawBufferPointer) -> Socket.Outcome {
    if first.isEmpty { return write(second) }
    if second.isEmpty { return write(first) }
    let size = min(Self.recordSize, first.count + second.count)
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { record in
      let head = min(size, first.count)
      record.copyMemory(from: UnsafeRawBufferPointer(rebasing: first[..<head]))
      UnsafeMutableRawBufferPointer(rebasing: record[head...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: second[..<(size - head)]))
      return write(UnsafeRawBufferPointer(record))
    }
  }

  /// If this would block, the next call must begin with the same bytes.
  func write(_ buffer: UnsafeRawBufferPointer) -> Socket.Outcome {
    guard !hasFailed else { return .failed }
    if !unsent.isEmpty {
      guard case .moved = unsent.withUnsafeBytes(writeRecords) else { return hasFailed ? .failed : .wouldBlock }
      unsent = []
    }
    return buffer.isEmpty ? .moved(0) : writeRecords(buffer)
  }

  /// Writes a few bytes before a response. What the socket does not take goes out with the response.
  func writeInterim(_ bytes: [UInt8]) {
    guard unsent.isEmpty else { return }
    if case .wouldBlock = bytes.withUnsafeBytes(write) { unsent = bytes }
  }

  /// Sends the beginning of a part of a file, at most a record; `.end` when the file is shorter than that.
  func send(_ file: OpenFile, offset: Int64, count: Int64) -> Socket.Outcome {
    withUnsafeTemporaryAllocation(byteCount: min(Self.recordSize, Int(clamping: count)), alignment: 16) { record in
      while true {
        let read = pread(file.descriptor, record.baseAddress, record.count, Int(offset))
        if read > 0 { return write(UnsafeRawBufferPointer(rebasing: record[..<read])) }
        if read == 0 { return .end }
        guard errno == EINTR else { return .failed }
      }
    }
  }

  /// Tells the client that nothing more will come (RFC 8446 §6.1): without this, it must take the response for cut off.
  func sendCloseNotify() {
    guard !hasFailed, SSL_is_init_finished(pointer) == 1 else { return }
    ERR_clear_error()
    _ = SSL_shutdown(pointer)
    // The reason does not matter, and the queue is the thread's.
    ERR_clear_error()
  }

  private func writeRecords(_ buffer: UnsafeRawBufferPointer) -> Socket.Outcome {
    var count = 0
    ERR_clear_error()
    let result = SSL_write_ex(pointer, buffer.baseAddress, buffer.count, &count)
    return result == 1 ? .moved(count) : outcome(of: result)
  }

  private func outcome(of result: Int32) -> Socket.Outcome {
    switch SSL_get_error(pointer, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wouldBlock
    case SSL_ERROR_ZERO_RETURN: return .end
    default:
      hasFailed = true
      ERR_clear_error()
      return .failed
    }
  }
}
