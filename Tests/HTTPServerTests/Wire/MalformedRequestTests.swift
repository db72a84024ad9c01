import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

/// Sends each request of the tables, and a second one after it: whatever the first is taken for, the second must not
/// become part of it, nor be served once the server cannot know where it begins.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct MalformedRequestTests {
  private static let next = Array("GET /next HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

  @Test(
    arguments: [
      requestLines, sizes, servedTargets, targets, hosts, fieldLines, contentLengths, transferEncodings, chunks,
    ].flatMap(\.self))
  func `what is malformed is refused, and what is merely unusual is served`(cases: WireCases) async throws {
    for request in cases.requests.map({ Array(latin1: $0) }) {
      do {
        try await TestServer.run { try await check(request, cases.outcome, at: $0) }
      } catch {
        // It must not hide the requests after it.
        Issue.record(error, "\(request.escaped)")
      }
    }
  }

  private func check(_ request: [UInt8], _ outcome: WireCases.Outcome, at server: TestServer) async throws {
    let client = try await server.connect(sending: request + Self.next)
    switch outcome {
    case .refused(let status): try await expectRefusal(status, of: client, requests: [], at: server, request)
    case .bodyRefused(let seen): try await expectRefusal(400, of: client, requests: [seen], at: server, request)
    case .served(let requests): try await expectService(requests + ["get /next"], of: client, at: server, request)
    case .servedLast(let requests):
      try await expectService(requests, isLast: true, of: client, at: server, request)
      client.endSending()
      #expect(try await client.isAtEnd, "\(request.escaped)")
    }
    #expect(try await server.answersOthers(), "\(request.escaped)")
  }

  private func expectRefusal(
    _ status: Int, of client: RawClient, requests: [String], at server: TestServer, _ request: [UInt8]
  ) async throws {
    client.endSending()
    let response = try await client.response()
    #expect(response.status == status, "\(request.escaped)")
    #expect(response.isJSONError && response.announcesClose, "\(request.escaped)")
    #expect(try await client.isAtEnd, "\(request.escaped)")
    #expect(server.requests == requests, "\(request.escaped)")
  }

  private func expectService(
    _ requests: [String], isLast: Bool = false, of client: RawClient, at server: TestServer, _ request: [UInt8]
  ) async throws {
    for _ in requests {
      let response = try await client.response()
      #expect(response.status == 200, "\(request.escaped): \(response.text)")
      #expect(response.announcesClose == isLast, "\(request.escaped)")
    }
    #expect(server.requests == requests, "\(request.escaped)")
  }
}
