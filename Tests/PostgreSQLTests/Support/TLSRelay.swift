import COpenSSL
import Glibc
import Platform
import TestSupport

/// TLS between one client and the tests' server, with long records, as some poolers send them: the first 4,000 bytes of
/// a response are one, and the rest is another.
final class TLSRelay: Sendable {
  private static let firstBytes = 4000

  let port: Int
  private let listener: Int32

  init(to serverFolder: String) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard let port = RawClient.bindToFreePort(listener), listen(listener, 1) == 0 else {
      throw SystemError("bind")
    }
    self.port = port
    let folder = try TemporaryFolder()
    try TestCertificate().write(to: folder)
    _ = try Thread(named: "tls-relay") { [listener] in
      let client = accept(listener, nil, nil)
      guard client >= 0, let server = Self.connect(to: serverFolder) else { return }
      defer {
        close(client)
        close(server)
      }
      Self.serve(client, server, folder)
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private static func connect(to folder: String) -> Int32? {
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let address = try? UnixSocketAddress(path: folder + "/.s.PGSQL.5432")
    return address?.withPointer { Glibc.connect(server, $0, $1) } == 0 ? server : nil
  }

  private static func serve(_ client: Int32, _ server: Int32, _ certificates: TemporaryFolder) {
    var request = [UInt8](repeating: 0, count: 8)
    // The client asks whether there is TLS.
    guard recv(client, &request, 8, Int32(MSG_WAITALL)) == 8, send(client, "S", 1, 0) == 1,
      let context = SSL_CTX_new(TLS_server_method())
    else { return }
    defer { SSL_CTX_free(context) }
    SSL_CTX_use_certificate_chain_file(context, certificates.path + "/certificate.pem")
    SSL_CTX_use_PrivateKey_file(context, certificates.path + "/key.pem", SSL_FILETYPE_PEM)
    guard let session = SSL_new(context) else { return }
    defer { SSL_free(session) }
    SSL_set_fd(session, client)
    guard SSL_accept(session) == 1 else { return }
    while forward(session, client, server) {}
  }

  /// Forwards what has come from either side; false at the end.
  private static func forward(_ session: OpaquePointer, _ client: Int32, _ server: Int32) -> Bool {
    var sockets = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&sockets, 2, -1) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    if sockets[0].revents != 0 {
      repeat {
        let count = SSL_read(session, &bytes, Int32(bytes.count))
        guard count > 0, send(server, bytes, Int(count), Int32(MSG_NOSIGNAL)) == Int(count) else {
          return false
        }
      } while SSL_pending(session) > 0
    }
    return sockets[1].revents == 0 || respond(session, server)
  }

  /// Waits for all of a response, which ends with ReadyForQuery.
  private static func respond(_ session: OpaquePointer, _ server: Int32) -> Bool {
    var response: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while response.suffix(6) != [UInt8(ascii: "Z"), 0, 0, 0, 5, UInt8(ascii: "I")] {
      let count = recv(server, &bytes, bytes.count, 0)
      guard count > 0 else { return false }
      response += bytes.prefix(count)
    }
    for part in [response.prefix(firstBytes), response.dropFirst(firstBytes)] where !part.isEmpty {
      guard SSL_write(session, Array(part), Int32(part.count)) == Int32(part.count) else { return false }
    }
    return true
  }
}
