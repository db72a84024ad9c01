import Foundation
import FoundationNetworking
import Glibc
import HTTPServer
import TestSupport
import Testing

@testable import SelfieServerCommands

/// What Prometheus reads from a server with METRICS.
@Suite(.timeLimit(.minutes(10))) struct MetricsTests {
  private static let requests = "http_server_request_duration_seconds_count"

  private func start(_ environment: [String: String] = [:]) throws -> ServerProcess {
    try ServerProcess(
      environment: ["METRICS": "127.0.0.1:0"].merging(environment) { $1 }, in: try TemporaryFolder())
  }

  @Test func `what users do is counted, each once`() async throws {
    let server = try start()
    let app = try await server.appOfNewUser()
    let selfie = PNG.random(width: 30, height: 30)
    for title in ["one", "two"] { _ = try await app.postBtnTapped(image: selfie, title: title) }
    for _ in 0..<5 { _ = try await app.loadSelfieData() }
    _ = try? await app.makeSignInRequest(email: "jane@example.com", password: "wrong123")
    _ = try? await app.makeSignInRequest(email: "nobody@example.com", password: "wrong123")

    func labels(_ method: String, _ route: String, _ status: Int) -> [String: String] {
      ["http_request_method": method, "http_route": route, "http_response_status_code": "\(status)"]
    }
    let metrics = try await server.metrics { metrics in
      metrics.all(Self.requests).reduce(0) { $0 + $1.value } == 11 && metrics["selfie_photos"] == 2
    }
    #expect(metrics[Self.requests, labels("POST", "/api/signup", 200)] == 1)
    #expect(metrics[Self.requests, labels("POST", "/api/signin", 200)] == 1)
    #expect(metrics[Self.requests, labels("POST", "/api/signin", 401)] == 1)
    #expect(metrics[Self.requests, labels("POST", "/api/signin", 400)] == 1)
    #expect(metrics[Self.requests, labels("POST", "/api/upload_photo", 200)] == 2)
    #expect(metrics[Self.requests, labels("GET", "/api/get_photos", 200)] == 5)
    let uploads = ["http_request_method": "POST", "http_route": "/api/upload_photo"]
    #expect(metrics["http_server_request_size_bytes_count", uploads] == 2)
    #expect(try #require(metrics["http_server_request_size_bytes_sum", uploads]) > Double(2 * selfie.count))
    #expect(metrics["http_server_response_size_bytes_count", uploads] == 2)
    #expect(metrics["http_server_active_requests"] == 0)

    #expect(metrics["selfie_users"] == 1)
    #expect(metrics["selfie_disabled_users"] == 0)
    #expect(metrics["selfie_photo_bytes"] == Double(2 * selfie.count))
    #expect(metrics["selfie_sign_ups_total", ["outcome": "succeeded"]] == 1)
    #expect(metrics["selfie_sign_ins_total", ["outcome": "succeeded"]] == 1)
    #expect(metrics["selfie_sign_ins_total", ["outcome": "wrong_password"]] == 1)
    #expect(metrics["selfie_sign_ins_total", ["outcome": "unknown_account"]] == 1)
    #expect(metrics["selfie_refused_guesses_total"] == 2)
    #expect(metrics["selfie_uploads_total", ["outcome": "succeeded"]] == 2)
    #expect(metrics["selfie_uploaded_bytes_total"] == Double(2 * selfie.count))
    // One of the sign-up, and two of the sign-ins at a known address.
    #expect(metrics["selfie_password_hash_duration_seconds_count"] == 3)
    #expect(metrics["selfie_password_hash_wait_seconds_count"] == 3)
    // At least those of the account, its token and the photos.
    #expect(try #require(metrics["selfie_commit_duration_seconds_count"]) >= 4)
    #expect(metrics["selfie_build_info", ["version": version]] == 1)
    #expect(try #require(metrics["process_resident_memory_bytes"]) > 1_000_000)
    #expect(metrics["selfie_backup_failed"] == nil)
    await server.stop()
  }

  @Test func `ten thousand unknown paths are one series, and each reading during them is consistent`() async throws {
    let server = try start()
    let port = try await server.port()
    let unknown = ["http_route": "_OTHER"]
    let client = try await RawClient.connect(to: port)
    async let load: Void = {
      for batch in 0..<20 {
        let requests = (0..<500).map { "GET /\(batch)/\($0).php HTTP/1.1\r\nHost: a\r\n\r\n" }
        try await client.send(requests.joined())
        for _ in 0..<500 { #expect(try await client.response().status == 404) }
      }
      for method in ["BREW", "PROPFIND", "TRACE"] {
        try await client.send("\(method) /x HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.response()
      }
    }()
    var last = 0.0
    let metrics = try await server.metrics { metrics in
      let count = metrics.all(Self.requests, unknown).reduce(0) { $0 + $1.value }
      #expect(count >= last)
      last = count
      return count == 10_003
    }
    try await load
    let series = metrics.all(Self.requests, unknown).map(\.labels)
    #expect(
      Set(series.compactMap { $0["http_request_method"] }) == ["GET", "TRACE", "_OTHER"] && series.count == 3,
      "\(series)")
    #expect(metrics[Self.requests, unknown.merging(["http_request_method": "GET"]) { $1 }] == 10_000)
    #expect(metrics[Self.requests, unknown.merging(["http_request_method": "_OTHER"]) { $1 }] == 2)
    await server.stop()
  }

  @Test func `a request whose client has gone counts, without a status`() async throws {
    let server = try start()
    let app = try await server.appOfNewUser()
    let client = try await RawClient.connect(to: try await server.port())
    try await client.send(
      """
      POST /api/upload_photo HTTP/1.1\r
      Host: a\r
      Authorization: Token token=\(try #require(app.helper.keychain["Auth_Token"]))\r
      Content-Type: multipart/form-data; boundary=b\r
      Content-Length: 1000\r
      \r
      --b\r\n
      """)
    let labels = ["http_request_method": "POST", "http_route": "/api/upload_photo"]
    _ = try await server.metrics { $0["selfie_connections", ["state": "receiving_body"]] == 1 }
    client.reset()
    let metrics = try await server.metrics { $0[Self.requests, labels] == 1 }
    #expect(metrics.all(Self.requests, labels).allSatisfy { $0.labels["http_response_status_code"] == nil })
    #expect(metrics["selfie_uploads_total", ["outcome": "refused"]] == 1)
    await server.stop()
  }

  @Test func `there is nothing else, under whatever name`() async throws {
    let server = try start()
    let address = try await server.metricsAddress()
    let port = try #require(URL(string: address)?.port)
    let client = try await RawClient.connect(to: port)
    try await client.send("HEAD /metrics?x=1 HTTP/1.1\r\nHost: prometheus.example\r\n\r\n")
    let head = try await client.response(hasBody: false)
    #expect(head.status == 200)
    #expect(head["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
    for request in ["POST /metrics", "GET /", "GET /metrics/", "GET /up", "DELETE /metrics"] {
      try await client.send("\(request) HTTP/1.1\r\nHost: a\r\n\r\n")
      let response = try await client.response()
      #expect(response.status == 404, "\(request)")
      #expect(
        String(decoding: response.body, as: UTF8.self)
          == #"{"status":404,"message":"There is nothing here but GET /metrics."}"#)
    }
    try await client.send("GET\r\n\r\n")
    #expect(try await client.response().status == 400)
    let api = try await RawClient.connect(to: try await server.port())
    try await api.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try await api.response().status == 404)
    await server.stop()
  }

  @Test func `the server's backups show their time, and failures`() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path + "/backups", withIntermediateDirectories: false)
    let server = try ServerProcess(
      environment: ["METRICS": "127.0.0.1:0", "BACKUP_DIR": folder.path + "/backups"], in: folder)
    let metrics = try await server.metrics { $0["selfie_backup_timestamp_seconds"] != nil }
    #expect(abs(try #require(metrics["selfie_backup_timestamp_seconds"]) - Date().timeIntervalSince1970) < 120)
    #expect(try #require(metrics["selfie_backup_bytes"]) > 10_000)
    #expect(metrics["selfie_backup_failed"] == 0)
    await server.stop()
  }

  @Test func `lines of the log that cannot be written are counted, and requests are answered`() async throws {
    // The log would name a port that the server has chosen.
    let address = "\(LoopbackAddress.unused()):9464"
    let server = try ServerProcess(
      environment: ["METRICS": address], in: try TemporaryFolder(), shell: "exec 2</dev/null")
    let client = try await RawClient.connect(to: try await server.port())
    let requests = 50
    for _ in 0..<requests {
      try await client.send("GET /up HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.response().status == 200)
    }
    let url = try #require(URL(string: "http://\(address)/metrics"))
    var dropped = 0.0
    while dropped < Double(requests) {
      let text = String(decoding: try await Loader().load(URLRequest(url: url)).0, as: UTF8.self)
      dropped = try #require(try MetricsText(text)["selfie_log_lines_dropped_total"])
    }
    await server.stop()
  }

  @Test(.enabled(if: PromTool.isInstalled, "needs promtool: apt-get install prometheus"))
  func `promtool finds no fault`() async throws {
    let server = try start()
    let app = try await server.appOfNewUser()
    _ = try await app.postBtnTapped(image: PNG.random(width: 30, height: 30), title: "one")
    let outcome = try await PromTool.run("check metrics", input: try await server.metricsText(), in: server.folder)
    #expect(outcome.status == 0 && outcome.message.isEmpty, "\(outcome.message)")
    await server.stop()
  }
}
