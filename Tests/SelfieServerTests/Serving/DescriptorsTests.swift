import Platform
import TestSupport
import Testing

/// Crowds of one address whose connections have two descriptors each: the socket, and a file.
@Suite(.timeLimit(.minutes(10))) struct DescriptorsTests {
  /// Connects clients whose kernel takes little, and returns when they have been slow for a while.
  private static func crowd(_ count: Int, port: Int, sending bytes: [UInt8]) async throws -> [RawClient] {
    var crowd: [RawClient] = []
    for _ in 0..<count {
      let client = try await RawClient.connect(to: port, from: "127.0.0.9", receiveBuffer: 4096)
      // It may have been refused.
      try? await client.send(bytes)
      crowd.append(client)
    }
    let end = monotonicMilliseconds() + 1500
    try await waitUntil { monotonicMilliseconds() > end }
    return crowd
  }

  private static func checkOthers(_ app: TutorialApp, _ server: ServerProcess, limit: Int) async throws {
    let selfie = try await app.postBtnTapped(title: "another")
    #expect(try await app.loadSelfieData().contains(selfie))
    #expect(try await app.download(selfie.url).status == 200)
    #expect(try await server.metrics()["process_open_fds"].map { Int($0) < limit } == true)
  }

  @Test(arguments: [256, 1024])
  func `slow downloads leave descriptors for others`(_ limit: Int) async throws {
    try raiseDescriptorLimit()
    let server = try ServerProcess(environment: ["METRICS": "127.0.0.1:0"], shell: "ulimit -n \(limit)")
    let app = try await server.appOfNewUser()
    let long = try await app.postBtnTapped(image: PNG.random(8_000_000))
    let crowd = try await Self.crowd(
      limit * 6 / 10, port: server.port(), sending: Array("GET /photos/\(long.id) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    try await Self.checkOthers(app, server, limit: limit)
    for client in crowd { client.close() }
    await server.stop()
    #expect(await !server.errors.all().contains { $0.contains("cannot be used") })
  }

  @Test func `slow uploads leave descriptors for others`() async throws {
    let server = try ServerProcess(environment: ["METRICS": "127.0.0.1:0"], shell: "ulimit -n 256")
    let app = try await server.appOfNewUser()
    let upload = app.requests.upload(app.token, PNG.random(2_000_000), title: "long")
    let head = AppRequest(
      upload.method, upload.target, as: upload.authorization, upload.fields + ["Content-Length: \(upload.body.count)"])
    // Enough for the file to be made.
    let beginning = head.bytes(host: "127.0.0.1") + upload.body.prefix(250_000)
    let crowd = try await Self.crowd(150, port: server.port(), sending: beginning)
    try await Self.checkOthers(app, server, limit: 256)
    for client in crowd { client.close() }
    await server.stop()
    #expect(await !server.errors.all().contains { $0.contains("cannot be used") })
  }
}
