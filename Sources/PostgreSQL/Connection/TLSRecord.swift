import COpenSSL
import CPostgreSQL

/// What OpenSSL has decrypted for a connection.
///
/// libpq asks for it once in each PQconsumeInput, and may not have room for a record of more than eight kilobytes, such
/// as some poolers send. The rest then waits in OpenSSL, where no event of the socket tells of it.
enum TLSRecord {
  /// Whether there is more of a record of which libpq has taken a part.
  static func hasRest(on connection: OpaquePointer) -> Bool {
    // libpq returns the SSL of this name, and nil where it uses another library or no TLS.
    guard let ssl = PQsslStruct(connection, "OpenSSL") else { return false }
    return SSL_pending(OpaquePointer(ssl)) > 0
  }
}
