import COpenSSL
package import Cryptography
import Glibc

/// The common settings of a server's TLS connections: its certificate, the protocol's versions and ciphers, and the
/// keys of session tickets. A connection keeps the context that it began with. `TLSSession` is the TLS of one
/// connection.
///
/// `@unchecked Sendable`: the `SSL_CTX` is changed in `init` only. Afterwards connections of all threads use it, for
/// which libssl counts its references atomically (SSL_CTX_new(3)).
package final class TLSContext: @unchecked Sendable {
  /// An `SSL_CTX`, valid while this object lives, and as long as a session made from it does.
  let pointer: OpaquePointer
  private let tickets: TicketKeys

  /// Those of TLS 1.2 with forward secrecy and authenticated encryption. TLS 1.3 has no others.
  private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"
  /// For ephemeral keys. The first one is what nearly all clients offer.
  private static let groups = "X25519:P-256:P-384"

  /// - Parameter tickets: the same for each context of a server, so that clients can resume sessions of the last one.
  package init(_ identity: CertifiedKey, tickets: TicketKeys) throws(CryptographyError) {
    guard let pointer = SSL_CTX_new(TLS_server_method()) else { throw .fromOpenSSL("SSL_CTX_new") }
    self.pointer = pointer
    self.tickets = tickets
    try configure(identity)
    // libssl writes with write(2), which has no flag that keeps a connection that is gone from ending the process.
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    SSL_CTX_free(pointer)
  }

  private func configure(_ identity: CertifiedKey) throws(CryptographyError) {
    guard
      copenssl_prepare_server(pointer) == 1,
      SSL_CTX_set_cipher_list(pointer, Self.ciphers) == 1,
      copenssl_set_groups(pointer, Self.groups) == 1
    else { throw .fromOpenSSL("configuring TLS") }
    guard
      SSL_CTX_use_certificate(pointer, identity.certificate.pointer) == 1,
      identity.chain.allSatisfy({ copenssl_add_chain_certificate(pointer, $0.pointer) == 1 }),
      SSL_CTX_use_PrivateKey(pointer, identity.key.pointer) == 1
    else { throw .fromOpenSSL("using TLS_CERTIFICATE and TLS_KEY") }
    SSL_CTX_set_timeout(pointer, TicketKeys.lifetimeSeconds)
    // A context keeps its keys alive, and sessions keep the context.
    tickets.encryptTickets(of: pointer)
    selectProtocol()
    refuseRenegotiation()
  }

  /// Chooses `http/1.1`, or else `http/1.0`, of the protocols that a client offers (RFC 7301). A client that only speaks
  /// others gets an alert: it could not read a response.
  private func selectProtocol() {
    let select: SSL_CTX_alpn_select_cb_func = { _, chosen, chosenLength, offered, length, _ in
      // libssl copies the name, which lies in this list or the client's.
      let ours: StaticString = "\u{8}http/1.1\u{8}http/1.0"
      var name: UnsafeMutablePointer<UInt8>?
      let result = SSL_select_next_proto(
        &name, chosenLength, ours.utf8Start, UInt32(ours.utf8CodeUnitCount), offered, length)
      chosen?.pointee = UnsafePointer(name)
      return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
    }
    SSL_CTX_set_alpn_select_cb(pointer, select, nil)
  }

  /// Ends a connection whose client asks for a new handshake. libssl would only refuse it, with an alert for each
  /// time the client asks, and go on within one call for as long as requests arrive.
  private func refuseRenegotiation() {
    SSL_CTX_set_info_callback(pointer) { session, event, value in
      let isRefusal = event == SSL_CB_WRITE_ALERT && value == copenssl_alert(SSL3_AL_WARNING, SSL_AD_NO_RENEGOTIATION)
      if isRefusal { SSL_set_shutdown(session, SSL_RECEIVED_SHUTDOWN) }
    }
  }
}
