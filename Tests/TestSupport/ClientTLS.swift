import COpenSSL
import Cryptography
import Glibc
import Platform

/// A client's side of TLS on a blocking socket.
///
/// One thread at a time uses libssl, and waits for the socket outside of it: a test may send and receive at once.
package final class ClientTLS: Sendable {
  /// What a client does differently from a usual one.
  package struct Options: Sendable {
    let protocols: [String]
    /// 0 for the newest.
    let maxVersion: Int32
    /// Of an earlier connection, to be resumed.
    let session: Session?

    package init(protocols: [String] = ["http/1.1"], maxVersion: Int32 = 0, session: Session? = nil) {
      self.protocols = protocols
      self.maxVersion = maxVersion
      self.session = session
    }
  }

  /// What a client needs to resume a session.
  package final class Session: @unchecked Sendable {
    fileprivate let pointer: OpaquePointer

    fileprivate init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { SSL_SESSION_free(pointer) }
  }

  /// An `SSL`, which keeps its context.
  private let pointer: Monitor<OpaquePointer>
  private let descriptor: Int32

  init(descriptor: Int32, options: Options = Options()) {
    let session = Self.newSession()
    self.descriptor = descriptor
    if options.maxVersion > 0 { SSL_ctrl(session, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(options.maxVersion), nil) }
    let names = options.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    if !names.isEmpty { SSL_set_alpn_protos(session, names, UInt32(names.count)) }
    if let earlier = options.session { SSL_set_session(session, earlier.pointer) }
    SSL_set_fd(session, descriptor)
    pointer = Monitor(session)
  }

  deinit {
    pointer.withLock { SSL_free($0) }
  }

  private static func newSession() -> OpaquePointer {
    let context = SSL_CTX_new(TLS_client_method())
    defer { SSL_CTX_free(context) }
    guard let session = SSL_new(context) else { fatalError("libssl: out of memory") }
    SSL_set_connect_state(session)
    return session
  }

  func handshake() throws(RawClient.Failure) {
    guard try run("connect", { SSL_do_handshake($0) }) == 1 else { throw .ended }
  }

  func send(_ bytes: ArraySlice<UInt8>) throws(RawClient.Failure) -> Int {
    Int(
      try run("send") { session in
        bytes.withUnsafeBytes { SSL_write(session, $0.baseAddress, Int32(clamping: $0.count)) }
      })
  }

  /// 0 at the end.
  func receive(into buffer: inout [UInt8]) throws(RawClient.Failure) -> Int {
    Int(try run("recv") { SSL_read($0, &buffer, Int32(clamping: buffer.count)) })
  }

  func endSending() {
    pointer.withLock { _ = SSL_shutdown($0) }
  }

  /// Whether the server has said that nothing more will come.
  package var hasCloseNotify: Bool {
    pointer.withLock { SSL_get_shutdown($0) & SSL_RECEIVED_SHUTDOWN != 0 }
  }

  /// Whether nothing but the end of the server's side is left to read.
  var hasBeenEnded: Bool {
    pointer.withLock { session in
      var byte: UInt8 = 0
      ERR_clear_error()
      let result = SSL_peek(session, &byte, 1)
      return result <= 0 && [SSL_ERROR_ZERO_RETURN, SSL_ERROR_SSL].contains(SSL_get_error(session, result))
    }
  }

  /// Sends a change of the keys.
  package func updateKeys() throws(RawClient.Failure) {
    _ = try run("send") { session in
      SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED)
      return SSL_do_handshake(session)
    }
  }

  /// Asks for a new handshake, as only TLS 1.2 allows. Returns when the server has answered.
  package func renegotiate() throws(RawClient.Failure) {
    _ = try run("send") { session in
      SSL_renegotiate(session)
      return SSL_do_handshake(session)
    }
  }

  /// Such as `TLSv1.3`.
  package var version: String { pointer.withLock { String(cString: SSL_get_version($0)) } }

  package var isResumed: Bool { pointer.withLock { SSL_session_reused($0) == 1 } }

  /// The protocol that the server has chosen.
  package var selectedProtocol: String {
    pointer.withLock { session in
      var name: UnsafePointer<UInt8>?
      var length: UInt32 = 0
      SSL_get0_alpn_selected(session, &name, &length)
      return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }
  }

  /// With TLS 1.3, the server must have sent something after the handshake.
  package var session: Session? {
    pointer.withLock { SSL_get1_session($0).map(Session.init) }
  }

  /// The bytes of the server's certificate (DER).
  package var serverCertificate: [UInt8]? {
    pointer.withLock { session in
      guard let certificate = SSL_get0_peer_certificate(session) else { return nil }
      var bytes = [UInt8](repeating: 0, count: Int(i2d_X509(certificate, nil)))
      bytes.withUnsafeMutableBufferPointer { buffer in
        var end = buffer.baseAddress
        i2d_X509(certificate, &end)
      }
      return bytes
    }
  }

  /// What a client sends first.
  package static func hello() -> [UInt8] {
    let (session, output) = (newSession(), BIO_new(BIO_s_mem()))
    defer { SSL_free(session) }
    SSL_set_bio(session, BIO_new(BIO_s_mem()), output)
    SSL_do_handshake(session)
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(output))
    BIO_read(output, &bytes, Int32(bytes.count))
    return bytes
  }

  /// Runs an operation of libssl on the non-blocking socket until it is done.
  private func run(
    _ call: String, _ operation: (OpaquePointer) -> Int32
  ) throws(RawClient.Failure) -> Int32 {
    while true {
      let (result, error) = pointer.withLock { session in
        ERR_clear_error()
        let result = operation(session)
        return (result, result > 0 ? SSL_ERROR_NONE : SSL_get_error(session, result))
      }
      switch error {
      case SSL_ERROR_NONE: return result
      case SSL_ERROR_ZERO_RETURN: return 0
      case SSL_ERROR_WANT_READ: try wait(reading: true)
      case SSL_ERROR_WANT_WRITE: try wait(reading: false)
      case SSL_ERROR_SYSCALL: throw .last(call)
      default:
        // The end of the connection without an alert.
        if ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING { return 0 }
        throw .tls(ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) } ?? "unknown")
      }
    }
  }

  private func wait(reading: Bool) throws(RawClient.Failure) {
    var entry = pollfd(fd: descriptor, events: Int16(reading ? POLLIN : POLLOUT), revents: 0)
    let timeout = RawClient.timeout(of: descriptor, reading: reading)
    guard poll(&entry, 1, Int32(clamping: timeout)) > 0 else { throw .timedOut }
  }
}

/// How the clients and servers of a test talk to each other, unless they say otherwise.
package enum TestTransport {
  @TaskLocal package static var tls: ClientTLS.Options?
}
