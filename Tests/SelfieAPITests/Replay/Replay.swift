import APITestSupport
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
  let connection: ReplayConnection

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
        let response = try await connection.response(to: request)
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
