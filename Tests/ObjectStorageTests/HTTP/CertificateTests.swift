import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `A server's certificate` {
  @Test func `must be valid for the host, from an authority that is trusted`() async throws {
    let certificate = try TestCertificate(for: ["127.0.0.1"])
    let folder = try TemporaryFolder()
    try certificate.write(to: folder)

    let listener = try Listener(host: "127.0.0.1", port: 0)
    let server = try Server(
      listener: listener, tls: TLSContext(certificate.certifiedKey, tickets: TicketKeys()), loopCount: 1,
      responder: Responder(
        respond: { _ in Response(status: .ok, body: .bytes([1, 2])) },
        refuse: { status, _, _ in Response(status: status) }))
    try await Blocking.run { try server.start() }
    let trusting = HTTPClient(authorities: "\(folder.path)/certificate.pem")
    let others = HTTPClient()

    let request = ClientRequest(method: .get, url: "https://127.0.0.1:\(listener.port)/", maxBodyBytes: 2)
    let otherHost = ClientRequest(method: .get, url: "https://localhost:\(listener.port)/", maxBodyBytes: 2)
    let response = try? await trusting.send(request)
    #expect(response?.body == [1, 2])
    for (client, request) in [(others, request), (trusting, otherHost)] {
      let error = await #expect(throws: ObjectStoreError.self) { try await client.send(request) }
      guard case .untrusted = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    trusting.closeIdleConnections()
    try await Blocking.run { server.stop() }
  }
}
