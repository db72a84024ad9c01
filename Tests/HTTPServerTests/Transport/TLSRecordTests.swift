import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// How the records of TLS lie in the buffer of libssl, of which the kernel and its events know nothing.
@Suite(.timeLimit(.minutes(10))) struct TLSRecordTests {
  /// What TLS 1.3 adds to the data of a record: its header, the type of its content, and a tag (RFC 8446 §5.2).
  private static let overhead = 5 + 1 + 16

  /// libssl reads as much as its buffer holds. A record that ends where the buffer does leaves nothing in it, while more
  /// waits in the socket. No event tells of that: it was there before.
  @Test func `a body arrives whole wherever its records end in libssl's buffer`() async throws {
    let first = [UInt8](repeating: 0x61, count: 16_000 - Self.overhead)
    let last = [UInt8](repeating: 0x63, count: 100)
    // The buffer of OpenSSL holds a record of the greatest length, its header, and some bytes more.
    let bufferSizes = 16_384 + 256...16_384 + 256 + 80
    let gates = bufferSizes.map { _ in Gate() }
    try await TestServer.run(
      tls: .forTests,
      handler: { request in
        guard let number = Int(String(decoding: request.head.path.dropFirst(), as: UTF8.self)) else {
          return TestServer.error(.badRequest, "no number")
        }
        await gates[number].wait()
        let body = try? await request.body.collect(upTo: 1 << 20)
        return TestServer.text("\(body?.count ?? 0)")
      }
    ) { server in
      let client = try await RawClient.connect(to: server.port, tls: .init())
      for (number, size) in bufferSizes.enumerated() {
        let second = [UInt8](repeating: 0x62, count: size - 16_000 - Self.overhead)
        let length = first.count + second.count + last.count
        try await client.send("POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
        for record in [first, second, last] { try await client.send(record) }
        gates[number].open()
        #expect(try await client.response().text == "\(length)")
      }
    }
  }

  @Test(arguments: ["Content-Length", "Transfer-Encoding"])
  func `a client that sends a body in records of a byte does not keep others waiting`(field: String) async throws {
    let count = 800
    let (pieces, loop) = (Monitor(0), StandStill())
    let handler: TestServer.Handler = { request in
      if request.head.path.elementsEqual("/pieces".utf8) { return TestServer.text("\(pieces.withLock { $0 })") }
      while (try? await request.body.next()) != nil {
        let number = pieces.withLock { number in
          number += 1
          return number
        }
        // Early in all that one client sends, the loop stands still until the rest and another request are there.
        if number == 10 { loop.hold() }
      }
      return TestServer.text("\(pieces.withLock { $0 })")
    }
    try await TestServer.run(tls: .forTests, handler: handler) { server in
      let client = try await RawClient.connect(to: server.port, tls: .init())
      let other = try await RawClient.connect(to: server.port, tls: .init())
      let isChunked = field == "Transfer-Encoding"
      try await client.send("POST /a HTTP/1.1\r\nHost: a\r\n\(field): \(isChunked ? "chunked" : "\(count)")\r\n\r\n")
      for _ in 0..<count { try await client.send(isChunked ? "1\r\nx\r\n" : "x") }
      if isChunked { try await client.send("0\r\n\r\n") }
      await loop.begun.wait()
      try await other.send("GET /pieces HTTP/1.1\r\nHost: a\r\n\r\n")
      loop.goOn()
      // The rest of the first client's turn, and at most two more.
      #expect(try #require(Int(try await other.response().text)) <= 10 + 3 * HTTPConnection.maxReads)
      #expect(try await client.response().text == "\(count)")
    }
  }

  /// The server reads two records at once, and learns that the socket is empty. When it comes to the second one, this is
  /// no longer true.
  @Test func `what arrives while libssl still has a record is read after that`() async throws {
    let gates = (0..<2).map { _ in Gate() }
    let handler: TestServer.Handler = { request in
      let path = String(decoding: request.head.path.dropFirst(), as: UTF8.self)
      if let number = Int(path), number < gates.count { await gates[number].wait() }
      return TestServer.text(path)
    }
    try await TestTransport.$tls.withValue(ClientTLS.Options()) {
      try await TestServer.run(handler: handler) { server, client in
        func request(_ number: Int) async throws {
          try await client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        try await request(0)
        #expect(try await server.answersOthers())
        // While a request is handled, nothing is read.
        try await request(1)
        try await request(2)
        gates[0].open()
        #expect(try await client.response().text == "0")
        try await request(3)
        #expect(try await server.answersOthers())
        gates[1].open()
        for number in 1...3 { #expect(try await client.response().text == "\(number)") }
      }
    }
  }
}
