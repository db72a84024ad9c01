import APITestSupport
import HTTPMessages
import SelfieAPI
import TestSupport

/// A request as it is sent.
struct WireRequest: Sendable {
  let method: String
  let target: String
  let fields: [Field]
  let body: [UInt8]
}

/// Sends the requests of a scenario one after the other and compares the responses.
struct Replay {
  let scenario: Scenario
  let clock: SettableClock
  let send: (WireRequest) async throws -> ActualResponse

  /// A text for every response that is not as it should be.
  func run() async throws -> [String] {
    let functions = PlaceholderFunctions(
      run: Self.newRun(), authName: APIFixture.authName, authPassword: APIFixture.authPassword)
    var shapes = Shapes()
    var failures: [String] = []
    for step in scenario.steps {
      switch step {
      case .later(let hours): clock.advance(seconds: hours * 3600)
      case .exchange(let exchange):
        let request = try exchange.request(filledBy: Placeholders(functions: functions, shapes: shapes))
        let response = try await send(request)
        var expected = exchange.response
        expected.body = try Placeholders(functions: functions).text(of: expected.body)
        let differences = expected.differences(from: response, shapes: &shapes)
        guard !differences.isEmpty else { continue }
        let place = "\(scenario.name).http:\(exchange.line): \(exchange.name)"
        failures.append("\(place)\n  \(differences.joined(separator: "\n  "))")
      }
    }
    return failures
  }

  private static func newRun() -> String {
    (0..<10).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
  }
}

extension Exchange {
  /// The request with everything in it that is not written down.
  func request(filledBy placeholders: Placeholders) throws -> WireRequest {
    let body = try body.map(placeholders.bytes) ?? []
    var wire = try fields.map { Field(name: $0.name, value: try placeholders.text(of: $0.value)) }
    if !wire.contains(where: { $0.name == "Host" }) {
      wire.insert(Field(name: "Host", value: "selfies.example"), at: 0)
    }
    if self.body != nil || ["POST", "PUT", "PATCH"].contains(method) {
      wire.append(Field(name: "Content-Length", value: String(body.count)))
    }
    return WireRequest(method: method, target: try placeholders.text(of: target), fields: wire, body: body)
  }
}

extension Application {
  /// The response without a socket in between.
  func response(to request: WireRequest) async -> ActualResponse {
    let response = await respond(
      Request(request.method, request.target, fields: request.fields.map { ($0.name, $0.value) }, body: request.body))
    var body: [UInt8] = []
    // The server leaves it out of what it sends (RFC 9110 §9.3.2).
    if case .bytes(let bytes) = response.body, request.method != "HEAD" { body = bytes }
    let lines = String(decoding: response.fields.lines, as: UTF8.self).split(separator: "\r\n")
    let fields = lines.map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return Field(name: String(parts[0]), value: String(parts[1].dropFirst()))
    }
    return ActualResponse(status: response.status.code, fields: fields, body: body)
  }
}
