import Glibc
import HTTPMessages
import Testing
import Platform

@testable import HTTPServer

@Suite struct SlowBodyTests {
  /// A server whose patience with a body is short, and which answers by whether the body came.
  private static func serve() throws -> (server: Server, port: Int) {
    var limits = Limits()
    limits.bodyPause = 100
    let listener = try Listener(host: "127.0.0.1", port: 0)
    let service = Service(
      respond: { request in
        do {
          return Response(status: .ok, body: .bytes(try await request.body.collect(upTo: 100)))
        } catch {
          return Response(status: .requestTimeout)
        }
      },
      refuse: { status, _ in Response(status: status) })
    return (try Server(listener: listener, loopCount: 1, limits: limits, service: service), listener.port)
  }

  @Test func `a client whose body does not come is told that the connection ends`() async throws {
    let (server, port) = try Self.serve()
    try server.start()
    let clients = WorkerPool(name: "clients", threads: 1, waiting: 1)
    let answer = try await clients.run {
      defer {
        server.stop()
      }
      return Self.answer(to: "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n1", port: port)
    }
    clients.shutDown()
    #expect(answer.hasPrefix("HTTP/1.1 408 "))
    #expect(answer.contains("\r\nConnection: close\r\n"))
  }

  /// All that the server sends until it ends its side, or for ten seconds.
  private static func answer(to request: String, port: Int) -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var timeout = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    let bytes = Array(request.utf8)
    guard isConnected, send(descriptor, bytes, bytes.count, 0) == bytes.count else { return "" }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { answer += buffer[..<count] }
    return String(decoding: answer, as: UTF8.self)
  }
}
