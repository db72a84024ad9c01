import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ServeTests {
  @Test func `a first start needs no configuration, and says what the app needs`() async throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(in: folder)
    let port = try await server.port()
    let app = try await server.appOfNewUser()
    await server.stop()

    let output = await server.output.all()
    #expect(output.first == "Listening on http://127.0.0.1:\(port)")
    for line in [
      "static let API_AUTH_NAME = \"\(app.helper.apiAuthName)\"",
      "static let API_AUTH_PASSWORD = \"\(app.helper.apiAuthPassword)\"",
      "static let BASE_URL = \"http://127.0.0.1:\(port)/api\"", "They are kept in storage/credentials.env.",
    ] {
      #expect(output.contains { $0.hasSuffix(line) }, "\(line)")
    }
    #expect(app.helper.apiAuthPassword.wholeMatch(of: /[A-Za-z0-9]{64}/) != nil)
    #expect(app.helper.apiAuthName.wholeMatch(of: /[A-Za-z0-9]+/) != nil)
    #expect(try folder.permissions(of: "storage/credentials.env") == 0o600)
    #expect(try folder.permissions(of: "storage") == 0o700)
    // After an orderly end the log has been checkpointed and is gone.
    let names = try folder.contents()
    #expect(
      names == [
        "storage", "storage/credentials.env", "storage/incoming", "storage/lock", "storage/photos",
        "storage/reserve", "storage/selfie.sqlite3",
      ])
  }

  @Test func `a second start keeps credentials and users, and shows no password`() async throws {
    let folder = try TemporaryFolder()
    let first = try ServerProcess(in: folder)
    let app = try await first.appOfNewUser()
    let selfie = try await app.postBtnTapped(image: PNG.random(width: 300, height: 300), title: "one")
    await first.stop()

    let second = try ServerProcess(in: folder)
    let again = try await second.app()
    #expect(again.helper.apiAuthPassword == app.helper.apiAuthPassword)
    try await again.makeSignInRequest(email: "jane@example.com", password: "secret12")
    #expect(try await again.loadSelfieData().map(\.id) == [selfie.id])
    await second.stop()
    #expect(await second.output.all().count == 1)
  }

  @Test func `credentials that are set are used, and no others are made`() async throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(
      environment: ["API_AUTH_NAME": "name", "API_AUTH_PASSWORD": "a long pass:word"], in: folder)
    let app = TutorialApp(
      helper: HTTPHelper(
        apiAuthName: "name", apiAuthPassword: "a long pass:word",
        baseURL: "http://127.0.0.1:\(try await server.port())/api"))
    try await app.makeSignUpRequest(name: "Jane", email: "jane@example.com", password: "secret12")
    await server.stop()
    #expect(try !folder.contents().contains("storage/credentials.env"))
    #expect(await server.output.all().count == 1)
  }

  @Test func `a long password, or one that the server has made, needs no words`() async throws {
    for environment in [[:], ["API_AUTH_NAME": "name", "API_AUTH_PASSWORD": "0123456789abcdef"]] {
      let server = try ServerProcess(environment: environment, in: try TemporaryFolder())
      _ = try await server.port()
      await server.stop()
      #expect(await !server.errors.all().contains { $0.contains("API_AUTH_PASSWORD") })
    }
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal ends it with status 0`(_ signal: Int32) async throws {
    let server = try ServerProcess(in: try TemporaryFolder())
    _ = try await server.port()
    server.signal(signal)
    #expect(await server.status() == 0)
  }

  @Test func `a hangup is noted and ends nothing, not even while requests under way are finished`() async throws {
    try await withUploadUnderWay { server, connection, rest, app in
      server.signal(SIGHUP)
      #expect(await server.errors.first { $0.contains("SIGHUP is ignored") } != nil)
      server.signal(SIGTERM)
      #expect(await server.errors.first { $0.contains("stopping") } != nil)
      server.signal(SIGHUP)
      #expect(await server.errors.first { $0.contains("SIGHUP is ignored") } != nil)
      try await connection.send(rest)
      let response = try await connection.response()
      connection.close()
      #expect(response.statusLine == "HTTP/1.1 200 OK", "\(response.text)")
      #expect(await server.status() == 0)
    }
  }

  /// A server and an upload that it has begun to receive; `rest` is what it still waits for.
  private func withUploadUnderWay(
    _ test: (ServerProcess, RawClient, _ rest: [UInt8], TutorialApp) async throws -> Void
  ) async throws {
    let server = try ServerProcess(in: try TemporaryFolder())
    let app = try await server.appOfNewUser()
    let image = PNG.random(width: 600, height: 600)
    let request = try app.helper.uploadRequest("upload_photo", data: image, title: "late")
    let body = try #require(request.httpBody)
    let connection = try await RawClient.connect(to: server.port())
    var head = "POST /api/upload_photo HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for (name, value) in request.allHTTPHeaderFields ?? [:] { head += "\(name): \(value)\r\n" }
    head += "Content-Length: \(body.count)\r\nExpect: 100-continue\r\n\r\n"
    try await connection.send(head)
    // Only an endpoint that wants the body asks for it.
    #expect(try await connection.response().lines == ["HTTP/1.1 100 Continue"])
    try await connection.send(Array(body[..<700_000]))
    try await test(server, connection, Array(body[700_000...]), app)
  }

  @Test func `SIGTERM lets a request under way finish`() async throws {
    try await withUploadUnderWay { server, connection, rest, app in
      server.signal(SIGTERM)
      #expect(await server.errors.first { $0.contains("stopping") } != nil)
      try await connection.send(rest)
      let response = try await connection.response()
      connection.close()
      #expect(response.statusLine == "HTTP/1.1 200 OK", "\(response.text)")
      #expect(response.announcesClose)
      #expect(await server.status() == 0)
      #expect(try server.folder.contents(of: "storage/photos").filter { $0.contains("/") }.count == 1)
      #expect(try server.folder.contents(of: "storage/incoming").isEmpty)
    }
  }

  @Test func `a second signal does not wait for it`() async throws {
    try await withUploadUnderWay { server, connection, rest, app in
      server.signal(SIGTERM)
      #expect(await server.errors.first { $0.contains("stopping") } != nil)
      server.signal(SIGTERM)
      let status = await server.status()
      #expect(status == 1)
    }
  }

  @Test func `after a crash what was answered is there, and the rest is cleaned up`() async throws {
    try await withUploadUnderWay { server, connection, rest, app in
      let selfie = try await app.postBtnTapped(image: PNG.random(width: 9, height: 9), title: "kept")
      try await waitUntil { try !server.folder.contents(of: "storage/incoming").isEmpty }
      server.signal(SIGKILL)
      #expect(await server.status() == -SIGKILL)

      let next = try ServerProcess(in: server.folder)
      let again = try await next.app()
      try await again.makeSignInRequest(email: "jane@example.com", password: "secret12")
      #expect(try await again.loadSelfieData().map(\.id) == [selfie.id])
      #expect(try server.folder.contents(of: "storage/incoming").isEmpty)
      await next.stop()
    }
  }

  @Test func `a disk that takes no more is told to the app, and the server lives on`() async throws {
    // No file may grow beyond half a megabyte.
    let server = try ServerProcess(in: try TemporaryFolder(), shell: "ulimit -f 1024")
    let app = try await server.appOfNewUser()
    await #expect(
      throws: TutorialApp.Alert(
        status: 507, message: "The server's disk is full. Its owner must make room before anything can be stored.",
        reason: "storage_full")
    ) { _ = try await app.postBtnTapped(image: PNG.random(width: 1000, height: 1000), title: "large") }
    #expect(try server.folder.contents(of: "storage/incoming").isEmpty)
    #expect(await server.errors.first { $0.contains("the disk is full") } != nil)

    let small = try await app.postBtnTapped(image: PNG.random(width: 100, height: 100), title: "small")
    #expect(try await app.loadSelfieData() == [small])
    await server.stop()
  }

  @Test func `a database whose log may not grow any more is a full disk, too`() async throws {
    let server = try ServerProcess(in: try TemporaryFolder(), shell: "ulimit -f 1024")
    let app = try await server.app()
    var alert: TutorialApp.Alert?
    // Each of them is a few pages of the log, and a hundred and twenty of those fit.
    for number in 0..<120 where alert == nil {
      do {
        try await app.makeSignUpRequest(name: "Jane Doe", email: "jane\(number)@example.com", password: "secret12")
      } catch let error as TutorialApp.Alert {
        alert = error
      }
    }
    #expect(alert?.status == 507)
    #expect(alert?.reason == "storage_full")
    await server.stop()
  }

  @Test func `a silent crowd beyond the descriptors of the process keeps nobody out`() async throws {
    let server = try ServerProcess(in: try TemporaryFolder(), shell: "ulimit -n 64")
    let app = try await server.appOfNewUser()
    let port = try await server.port()
    var crowd: [RawClient] = []
    for _ in 0..<200 { crowd.append(try await .connect(to: port)) }
    #expect(try await app.loadSelfieData() == [])
    crowd.removeAll()
    await server.stop()
  }

  @Test func `the server raises its limit of descriptors as far as it may`() async throws {
    let server = try ServerProcess(
      environment: ["METRICS": "127.0.0.1:0"], in: try TemporaryFolder(), shell: "ulimit -Sn 64; ulimit -Hn 200")
    #expect(try await server.metrics()["process_max_fds"] == 200)
    await server.stop()
  }
}
