import Glibc
import Measuring

/// What was found.
struct Findings {
  let isQuick: Bool
  var quiet = Latencies()
  /// With every attacker there.
  var crowded = Latencies()
  /// While the attackers are cut off, a thousand of them in the same second.
  var leaving = Latencies()
  var quietAgain = Latencies()
  var before: ServerProcess.Sample
  var height: ServerProcess.Sample
  var after: ServerProcess.Sample
  /// Of one core, while only attackers are there.
  var processorShare = 0.0
  var records: [Attack: [Attacker.Record]] = [:]
}

/// What happens when: a quiet time, the crowd with a healthy client in it, the crowd alone, the
/// crowd's end, and a quiet time again.
struct Course {
  private let options: Options

  /// Seconds that the healthy client is measured, without the crowd and with it. The first attackers are cut
  /// off 15 s after they came; the crowd gathers in three, and is measured before that.
  private let healthyTime: Double
  /// Seconds that the crowd has the server to itself.
  private static let aloneTime = 10.0
  /// Beyond the latest of `Attack.allowed`.
  private static let mostTime = 230.0
  /// For the server to notice the end of the last connections.
  private static let settlingTime = 3.0

  init(_ options: Options) {
    self.options = options
    healthyTime = options.isQuick ? 5 : 10
  }

  func run() throws -> Findings {
    // Caches are filled, and threads started, before anything is compared.
    _ = try healthy(for: 1)
    let before = try options.server.sample()
    var findings = Findings(isQuick: options.isQuick, before: before, height: before, after: before)
    findings.quiet = try healthy(for: healthyTime)
    findings.before = try options.server.sample()

    let crowd = try Crowd(port: options.port, basic: options.basic)
    guard crowd.gathers(within: 10) else { throw CourseError("the crowd could not connect") }
    findings.crowded = try healthy(for: healthyTime)
    findings.height = try options.server.sample()
    if !options.isQuick { try watchThemLeave(crowd, &findings) }
    findings.records = crowd.disperse()
    return findings
  }

  private func watchThemLeave(_ crowd: Crowd, _ findings: inout Findings) throws {
    let start = try options.server.sample()
    pause(Self.aloneTime)
    findings.processorShare = try options.server.sample().processorShare(since: start)

    let client = try HealthyClient(port: options.port, token: options.token)
    let end = monotonicSeconds() + Self.mostTime
    while !crowd.isGone && monotonicSeconds() < end { pause(0.5) }
    findings.leaving = client.stop()

    findings.quietAgain = try healthy(for: healthyTime)
    pause(Self.settlingTime)
    findings.after = try options.server.sample()
  }

  private func healthy(for seconds: Double) throws -> Latencies {
    let client = try HealthyClient(port: options.port, token: options.token)
    pause(seconds)
    return client.stop()
  }
}

/// Why there is nothing to report.
struct CourseError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
