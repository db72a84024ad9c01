import COpenSSL
import Glibc
import Measuring
import Platform
import Synchronization

/// TLS handshakes with a server on this machine, on connections of their own. Each connection ends when the server has
/// read the client's close_notify and has closed it.
///
/// Prints how many handshakes it does per second.
@main
struct TLSHandshakes {
  static func main() throws {
    let arguments = arguments("tls-handshakes PORT SECONDS THREADS full|resumed")
    let (port, seconds) = (UInt16(number(arguments[0])), Double(number(arguments[1])))
    let resumes = arguments[3] == "resumed"
    signal(SIGPIPE, SIG_IGN)
    let handshakes = Atomic<Int>(0)
    let start = monotonicSeconds()
    let threads = try (0..<number(arguments[2])).map { _ in
      try Thread(named: "client") {
        guard let context = SSL_CTX_new(TLS_client_method()) else { fail("libssl: out of memory") }
        let session = resumes ? Self.session(context, port) : nil
        while monotonicSeconds() - start < seconds {
          handshake(context, port, resuming: session)
          handshakes.add(1, ordering: .relaxed)
        }
      }
    }
    for thread in threads { thread.join() }
    print(decimals(Double(handshakes.load(ordering: .relaxed)) / (monotonicSeconds() - start), 2))
  }

  private static func handshake(_ context: OpaquePointer, _ port: UInt16, resuming session: OpaquePointer?) {
    connect(context, port, resuming: session) { connection, descriptor in
      guard (SSL_session_reused(connection) == 1) == (session != nil) else { fail("the session was not resumed") }
      SSL_shutdown(connection)
      var rest = [UInt8](repeating: 0, count: 4096)
      while recv(descriptor, &rest, rest.count, 0) > 0 {}
    }
  }

  /// A session that can be resumed. With TLS 1.3 it comes with the first response.
  private static func session(_ context: OpaquePointer, _ port: UInt16) -> OpaquePointer? {
    connect(context, port, resuming: nil) { connection, _ in
      let request = Array("GET /up HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
      var response = [UInt8](repeating: 0, count: 4096)
      guard SSL_write(connection, request, Int32(request.count)) > 0,
        SSL_read(connection, &response, Int32(response.count)) > 0
      else { fail("GET /up was not answered") }
      // libssl takes a session for broken whose connection was not shut down.
      SSL_shutdown(connection)
      return SSL_get1_session(connection)
    }
  }

  private static func connect<Result>(
    _ context: OpaquePointer, _ port: UInt16, resuming session: OpaquePointer?,
    _ body: (_ connection: OpaquePointer, _ descriptor: Int32) -> Result
  ) -> Result {
    guard let descriptor = Loopback.open(port: port), let connection = SSL_new(context) else {
      fail("port \(port): \(String(cString: strerror(errno)))")
    }
    defer {
      SSL_free(connection)
      close(descriptor)
    }
    if let session { SSL_set_session(connection, session) }
    guard SSL_set_fd(connection, descriptor) == 1, SSL_connect(connection) == 1 else { fail("the handshake failed") }
    return body(connection, descriptor)
  }
}
