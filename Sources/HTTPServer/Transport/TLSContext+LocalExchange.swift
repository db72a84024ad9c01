import COpenSSL
package import Cryptography

// The client's side of TLS, for the command `health`. TLSContext.swift has the server's side.
extension TLSContext {
  /// Sends a request to a server on this machine, on a connected, blocking socket, for checks of its health. It does not
  /// look at the certificate, which is for the names that other machines use.
  ///
  /// The pointers are safe because they are made and freed within the call.
  ///
  /// - Returns: the beginning of the response.
  package static func exchange(_ request: [UInt8], on descriptor: Int32) throws(CryptographyError) -> [UInt8] {
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw .fromOpenSSL("SSL_CTX_new") }
    defer { SSL_CTX_free(context) }
    guard let session = SSL_new(context) else { throw .fromOpenSSL("SSL_new") }
    defer { SSL_free(session) }
    guard SSL_set_fd(session, descriptor) == 1, SSL_connect(session) == 1 else {
      throw .fromOpenSSL("the TLS handshake")
    }
    var response = [UInt8](repeating: 0, count: 1024)
    guard SSL_write(session, request, Int32(clamping: request.count)) > 0 else { throw .fromOpenSSL("sending by TLS") }
    let count = SSL_read(session, &response, Int32(clamping: response.count))
    guard count > 0 else { throw .fromOpenSSL("receiving by TLS") }
    return Array(response[..<Int(count)])
  }
}
