import Foundation
import Glibc
import HTTPServer
import SelfieAPI
import TestSupport
import Testing

@testable import SelfieServer

/// The metrics that Prometheus reads from a server with METRICS.
@Suite(.timeLimit(.minutes(10))) struct MetricsTests {
  private static let requests = "http_server_request_duration_seconds_count"

  private func start() throws -> ServerProcess { try ServerProcess(environment: ["METRICS": "127.0.0.1:0"]) }

  @Test func `what users do is counted, each once`() async throws {
    let server = try start()
    let app = try await server.appOfNewUser()
    let selfie = PNG.random()
    for _ in 0..<2 { try await app.postBtnTapped(image: selfie) }
    for _ in 0..<5 { _ = try await app.loadSelfieData() }
    for email in ["jane@example.com", "nobody@example.com"] {
      await #expect(throws: TutorialApp.Alert.self) {
        try await app.makeSignInRequest(email: email, password: "wrong123")
      }
    }

    let metrics = try await server.metrics { metrics in
      metrics.all(Self.requests).reduce(0) { $0 + $1.value } == 11 && metrics["selfie_photos"] == 2
    }
    for (method, route, status, count) in [
      ("POST", "/api/signup", 200, 1), ("POST", "/api/signin", 200, 1), ("POST", "/api/signin", 401, 1),
      ("POST", "/api/signin", 400, 1), ("POST", "/api/upload_photo", 200, 2), ("GET", "/api/get_photos", 200, 5),
    ] as [(String, String, Int, Double)] {
      let labels = [
        "http_request_method": method, "http_route": route, "http_response_status_code": "\(status)",
      ]
      #expect(metrics[Self.requests, labels] == count, "\(route) \(status)")
    }
    let uploads = ["http_request_method": "POST", "http_route": "/api/upload_photo"]
    #expect(metrics["http_server_request_size_bytes_count", uploads] == 2)
    #expect(try #require(metrics["http_server_request_size_bytes_sum", uploads]) > Double(2 * selfie.count))
    #expect(metrics["http_server_response_size_bytes_count", uploads] == 2)
    for (name, value) in [
      "http_server_active_requests": 0, "selfie_users": 1, "selfie_disabled_users": 0,
      "selfie_photo_bytes": Double(2 * selfie.count), "selfie_refused_guesses_total": 2,
      "selfie_uploaded_bytes_total": Double(2 * selfie.count),
      // One of the sign-up, and two of the sign-ins at a known address.
      "selfie_password_hash_duration_seconds_count": 3, "selfie_password_hash_wait_seconds_count": 3,
    ] { #expect(metrics[name] == value, "\(name)") }
    for (name, outcome, count) in [
      ("sign_ups", "succeeded", 1), ("sign_ins", "succeeded", 1), ("sign_ins", "wrong_password", 1),
      ("sign_ins", "unknown_account", 1), ("uploads", "succeeded", 2),
    ] as [(String, String, Double)] {
      #expect(metrics["selfie_\(name)_total", ["outcome": outcome]] == count, "\(name) \(outcome)")
    }
    // At least those of the account, its token and the photos.
    #expect(try #require(metrics["selfie_commit_duration_seconds_count"]) >= 4)
    #expect(metrics["selfie_build_info", ["version": Application.version]] == 1)
    #expect(try #require(metrics["process_resident_memory_bytes"]) > 1_000_000)
    #expect(metrics["selfie_backup_failed"] == nil)
    if PromTool.isInstalled { try await PromTool.check("metrics < checked", metrics.text) }
  }

  @Test func `a thousand unknown paths are one series, and each reading during them is consistent`() async throws {
    let server = try start()
    let port = try await server.port()
    let unknown = ["http_route": "_OTHER"]
    let client = try await RawClient.connect(to: port)
    async let load: Void = {
      for batch in 0..<10 {
        let requests = (0..<100).map { "GET /\(batch)/\($0).php HTTP/1.1\r\nHost: a\r\n\r\n" }
        try await client.send(requests.joined())
        for _ in 0..<100 { #expect(try await client.response().status == 404) }
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
      for sample in metrics.all(Self.requests) {
        let bucket = Self.requests.replacing("_count", with: "_bucket")
        #expect(metrics[bucket, sample.labels.merging(["le": "+Inf"]) { $1 }] == sample.value)
      }
      return count == 1_003
    }
    try await load
    let series = metrics.all(Self.requests, unknown).map(\.labels)
    #expect(
      Set(series.compactMap { $0["http_request_method"] }) == ["GET", "TRACE", "_OTHER"] && series.count == 3,
      "\(series)")
    #expect(metrics[Self.requests, unknown.merging(["http_request_method": "GET"]) { $1 }] == 1_000)
    #expect(metrics[Self.requests, unknown.merging(["http_request_method": "_OTHER"]) { $1 }] == 2)
  }

  @Test func `a request whose client disconnects counts, without a status, and the log says so`() async throws {
    let server = try start()
    let app = try await server.appOfNewUser()
    let client = try await RawClient.connect(to: try await server.port())
    try await client.send(
      """
      POST /api/upload_photo HTTP/1.1\r
      Host: a\r
      Authorization: Token token=\(try #require(app.token))\r
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
    let line = try await server.logged("aborted=true")
    #expect(line.contains(" route=/api/upload_photo ") && line.contains(" bytes=0 "), "\(line)")
  }

  @Test func `there is nothing else, under whatever name`() async throws {
    let server = try start()
    let port = try #require(Int(try await server.metricsOrigin().split(separator: ":")[2]))
    let head = try await server.response(to: "HEAD /metrics?x=1", ["Host: prometheus.example"], at: port)
    #expect(head.status == 200)
    #expect(head["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
    for request in ["POST /metrics", "GET /", "GET /metrics/", "GET /up", "DELETE /metrics"] {
      let response = try await server.response(to: request, at: port)
      #expect(response.status == 404, "\(request)")
      #expect(response.text == #"{"status":404,"message":"There is nothing here but GET /metrics."}"#)
    }
    #expect(try await server.response(to: "GET", at: port).status == 400)
    #expect(try await server.response(to: "GET /metrics").status == 404)
  }

  @Test func `lines of the log that cannot be written are counted, and requests are answered`() async throws {
    // The log would name a port that the server has chosen.
    let address = "\(LoopbackAddress.unused()):9464"
    let server = try ServerProcess(environment: ["METRICS": address], shell: "exec 2</dev/null")
    for _ in 0..<50 { #expect(try await server.response(to: "GET /up").status == 200) }
    try await waitUntil {
      let metrics = try await RawClient.response(to: AppRequest("GET", "/metrics"), at: "http://\(address)")
      return try #require(try MetricsText(metrics.text)["selfie_log_lines_dropped_total"]) >= 50
    }
  }
}

/// Prometheus' own checks: Debian's package `prometheus`.
enum PromTool {
  static let isInstalled = access("/usr/bin/promtool", X_OK) == 0

  /// Expects no fault of a text, which the command finds in the file `checked`.
  @discardableResult
  static func check(_ command: String, _ text: String) async throws -> ServerProcess.Outcome {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "checked")
    let outcome = try await folder.shell("promtool check \(command)")
    #expect(outcome.message.isEmpty, "\(outcome)")
    return outcome
  }
}

/// Metrics in Prometheus' text format. promtool checks whether they keep its rules.
struct MetricsText {
  typealias Sample = (name: String, labels: [String: String], value: Double)

  let text: String
  let samples: [Sample]

  init(_ text: String) throws {
    self.text = text
    // A regular expression is parsed each time that its literal is evaluated: once for each text, not for each line.
    let sampleLine = /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)/
    let label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"/
    samples = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let match = try #require(line.wholeMatch(of: sampleLine), "\(line)")
      let value = try #require(match.3 == "+Inf" ? .infinity : Double(match.3), "\(line)")
      let labels = (match.2 ?? "").matches(of: label).map { (String($0.1), String($0.2)) }
      return (String(match.1), Dictionary(labels) { $1 }, value)
    }
  }

  /// The value of the one sample with this name and these labels among others; nil if there is none.
  subscript(name: String, labels: [String: String] = [:]) -> Double? {
    let found = all(name, labels)
    return found.count == 1 ? found[0].value : nil
  }

  /// All samples with this name and these labels among others.
  func all(_ name: String, _ labels: [String: String] = [:]) -> [Sample] {
    samples.filter { sample in sample.name == name && labels.allSatisfy { sample.labels[$0] == $1 } }
  }
}

extension ServerProcess {
  /// Where a server with METRICS has them.
  func metricsOrigin() async throws -> String {
    let line = try await logged("metrics can be read")
    return String(try #require(line.firstMatch(of: /(http:\/\/[0-9.:]+)\/metrics/)).1)
  }

  /// The metrics, once they show what is counted after the last byte of a response.
  func metrics(until isThere: (MetricsText) throws -> Bool = { _ in true }) async throws -> MetricsText {
    let origin = try await metricsOrigin()
    var last: MetricsText?
    try await waitUntil {
      let metrics = try await MetricsText(RawClient.response(to: AppRequest("GET", "/metrics"), at: origin).text)
      last = metrics
      return try isThere(metrics)
    }
    return try #require(last)
  }
}
