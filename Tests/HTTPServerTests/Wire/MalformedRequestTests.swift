import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

/// Sends each request of the tables, and behind it a second one: whatever the first is taken for,
/// the second must not become part of it, nor be served once the server cannot know where it begins.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct MalformedRequestTests {
  private static let next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"

  struct Topic: CustomTestStringConvertible {
    let testDescription: String
    let cases: [WireCase]

    init(_ name: String, _ cases: [WireCase]) {
      testDescription = name
      self.cases = cases
    }
  }

  private static let topics = [
    Topic("request lines", requestLines), Topic("sizes", sizes), Topic("targets", targets), Topic("hosts", hosts),
    Topic("field lines", fieldLines), Topic("content lengths", contentLengths),
    Topic("transfer encodings", transferEncodings), Topic("chunks", chunks),
  ]

  @Test(arguments: topics)
  func `what is malformed is refused, and what is merely unusual is served`(topic: Topic) async throws {
    for wire in topic.cases {
      do {
        try await TestServer.run { try await check(wire, at: $0) }
      } catch {
        // It must not hide the rows after it.
        Issue.record(error, "\(wire.testDescription)")
      }
    }
  }

  private func check(_ wire: WireCase, at server: TestServer) async throws {
    let client = try await server.connect()
    try await client.send(wire.bytes + Array(Self.next.utf8))
    switch wire.outcome {
    case .refused(let status): try await expectRefusal(status, of: client, requests: [], at: server, wire)
    case .bodyRefused(let request): try await expectRefusal(400, of: client, requests: [request], at: server, wire)
    case .served(let requests): try await expectService(requests + ["get /next"], of: client, at: server, wire)
    case .servedLast(let requests):
      try await expectService(requests, of: client, at: server, wire)
      client.endSending()
      #expect(try await client.isAtEnd, "\(wire.testDescription)")
      #expect(server.requests == requests, "\(wire.testDescription)")
    }
    #expect(try await server.answersOthers(), "\(wire.testDescription)")
  }

  private func expectRefusal(
    _ status: Int, of client: RawClient, requests: [String], at server: TestServer, _ wire: WireCase
  ) async throws {
    client.endSending()
    let response = try await client.response()
    #expect(response.status == status, "\(wire.testDescription)")
    #expect(response.isJSONError && response.announcesClose, "\(wire.testDescription)")
    #expect(try await client.isAtEnd, "\(wire.testDescription)")
    #expect(server.requests == requests, "\(wire.testDescription)")
  }

  private func expectService(
    _ requests: [String], of client: RawClient, at server: TestServer, _ wire: WireCase
  ) async throws {
    for _ in requests {
      let response = try await client.response()
      #expect(response.status == 200, "\(wire.testDescription): \(response.text)")
    }
    #expect(server.requests == requests, "\(wire.testDescription)")
  }
}
