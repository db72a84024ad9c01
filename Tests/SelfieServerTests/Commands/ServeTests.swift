import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ServeTests {
  @Test func `a first start needs no configuration, and says once what the app needs`() async throws {
    let server = try ServerProcess()
    let (folder, port) = (server.folder, try await server.port())
    let app = try await server.appOfNewUser()
    for file in ["selfie.sqlite3", "selfie.sqlite3-wal", "lock"] {
      #expect(try folder.permissions(of: "storage/\(file)") == 0o600, "\(file)")
    }
    await server.stop()

    let output = await server.output.all()
    #expect(output.first == "Listening on http://127.0.0.1:\(port)")
    for line in [
      "  The app       http://127.0.0.1:\(port)/api", "  Try it        http://localhost:\(port)/",
      "  Owner's page  selfie-server owner",
      "static let API_AUTH_NAME = \"\(app.requests.name)\"",
      "static let API_AUTH_PASSWORD = \"\(app.requests.password)\"",
      "static let BASE_URL = \"http://127.0.0.1:\(port)/api\"",
      "The credentials are stored in storage/credentials.env.",
    ] {
      #expect(output.contains { $0.hasSuffix(line) }, "\(line)")
    }
    #expect(app.requests.password.wholeMatch(of: /[A-Za-z0-9]{64}/) != nil)
    #expect(app.requests.name.wholeMatch(of: /[A-Za-z0-9]+/) != nil)
    #expect(try folder.permissions(of: "storage/credentials.env") == 0o600)
    #expect(try folder.permissions(of: "storage") == 0o700)
    // After an orderly end the log has been checkpointed and is gone.
    let names = try folder.contents()
    #expect(
      names == [
        "storage", "storage/credentials.env", "storage/incoming", "storage/lock", "storage/photos",
        "storage/reserve", "storage/selfie.sqlite3",
      ])

    let next = try ServerProcess(in: folder)
    try await next.app().makeSignInRequest()
    await next.stop()
    let lines = await next.output.all()
    #expect(lines.contains("  The app       http://127.0.0.1:\(try await next.port())/api"))
    #expect(!lines.contains { $0.contains("static let") || $0.contains("Inspector") })
    #expect(await !next.errors.all().contains { $0.contains("API_AUTH_PASSWORD") })
  }

  @Test func `credentials that are set are used, no others are made, and SIGINT ends the server with status 0`()
    async throws
  {
    let server = try ServerProcess(environment: ["API_AUTH_NAME": "name", "API_AUTH_PASSWORD": "a long pass:word"])
    try await server.app().makeSignUpRequest()
    server.signal(SIGINT)
    #expect(await server.status() == 0)
    #expect(try !server.folder.contents().contains("storage/credentials.env"))
    #expect(await !server.output.all().contains { $0.contains("a long pass:word") })
    // A long password needs no words.
    #expect(await !server.errors.all().contains { $0.contains("API_AUTH_PASSWORD") })
  }

  @Test func `credentials that are lost though there are users are a warning`() async throws {
    let first = try ServerProcess()
    let app = try await first.appOfNewUser()
    await first.stop()
    #expect(await !first.errors.all().contains { $0.contains("credentials.env") })
    try first.folder.remove("storage/credentials.env")
    let words = "storage/credentials.env was missing at a start, so new credentials were generated"
    let second = try ServerProcess(in: first.folder)
    #expect(try await second.logged(words).contains("warning"))
    #expect(try await second.app().requests.password != app.requests.password)
    await second.stop()

    // A restart does not hide it, but the first app that knows the new ones ends it.
    let third = try ServerProcess(in: first.folder)
    try await third.logged(words)
    func status() async throws -> [String] { try await first.folder.run("status", status: 1).output }
    #expect(try await status().contains { $0.contains(words) })
    try await third.app().makeSignInRequest()
    while try first.folder.text(of: "storage/credentials.env").contains("missing") {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try await !status().contains { $0.contains(words) })
    await third.stop()
  }

  @Test(arguments: ["", "# Nothing\n", "API_AUTH_NAME=x\n"])
  func `a file of credentials that lost them is not replaced`(text: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "storage/credentials.env")
    try await folder.run(
      "serve", status: 1, saying: "storage/credentials.env does not contain both API_AUTH_NAME and API_AUTH_PASSWORD",
      "Put the file of a backup in its place")
    #expect(try folder.text(of: "storage/credentials.env") == text)
    #expect(!folder.exists("storage/selfie.sqlite3"))
  }

  /// A server and an upload that it has begun to receive; `rest` is what it still waits for.
  private func withUploadUnderWay(
    _ test: (ServerProcess, RawClient, _ rest: [UInt8]) async throws -> Void
  ) async throws {
    let server = try ServerProcess()
    let app = try await server.appOfNewUser()
    let connection = try await RawClient.connect(to: server.port())
    let upload = app.requests.upload(app.token, PNG.random(1_080_000), title: "late")
    let fields = upload.fields + ["Content-Length: \(upload.body.count)", "Expect: 100-continue"]
    let head = AppRequest(upload.method, upload.target, as: upload.authorization, fields)
    try await connection.send(head.bytes(host: "127.0.0.1"))
    // Only an endpoint that wants the body asks for it.
    #expect(try await connection.response().lines == ["HTTP/1.1 100 Continue"])
    try await connection.send(Array(upload.body[..<700_000]))
    try await test(server, connection, Array(upload.body[700_000...]))
  }

  @Test func `SIGTERM lets a request under way finish, and a hangup ends nothing`() async throws {
    try await withUploadUnderWay { server, connection, rest in
      for (signal, name) in [(SIGHUP, "SIGHUP"), (SIGUSR1, "SIGUSR1"), (SIGUSR2, "SIGUSR2")] {
        server.signal(signal)
        try await server.logged("\(name) is ignored")
      }
      server.signal(SIGTERM)
      try await server.logged("stopping")
      server.signal(SIGHUP)
      try await connection.send(rest)
      let response = try await connection.response()
      connection.close()
      #expect(response.statusLine == "HTTP/1.1 200 OK", "\(response.text)")
      #expect(response.announcesClose)
      #expect(await server.status() == 0)
      #expect(try server.folder.files(in: "storage/photos").count == 1)
      #expect(try server.folder.contents(of: "storage/incoming").isEmpty)
    }
  }

  @Test func `a second signal does not wait for it`() async throws {
    try await withUploadUnderWay { server, _, _ in
      server.signal(SIGTERM)
      try await server.logged("stopping")
      server.signal(SIGTERM)
      let status = await server.status()
      #expect(status == 1)
    }
  }

  @Test func `the server raises its limit of descriptors, and a silent crowd beyond it keeps no other client out`()
    async throws
  {
    let server = try ServerProcess(
      environment: ["METRICS": "127.0.0.1:0"], shell: "ulimit -Sn 64; ulimit -Hn 200")
    #expect(try await server.metrics()["process_max_fds"] == 200)
    let app = try await server.appOfNewUser()
    let port = try await server.port()
    var crowd: [RawClient] = []
    for _ in 0..<300 { crowd.append(try await .connect(to: port)) }
    #expect(try await app.loadSelfieData() == [])
    crowd.removeAll()
  }
}
