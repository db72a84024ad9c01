import LoadTesting
import Glibc
import Measuring

/// The measured values.
struct Findings {
  let isQuick: Bool
  var quiet = Latencies()
  /// While all attackers are connected.
  var crowded = Latencies()
  /// While the server ends the attackers, a thousand of them in the same second.
  var leaving = Latencies()
  var quietAgain = Latencies()
  var before: ServerProcess.Sample
  var height: ServerProcess.Sample
  var after: ServerProcess.Sample
  /// As a share of one core, while only attackers are connected.
  var processorShare = 0.0
  var records: [Attack: [Attacker.Record]] = [:]
}

/// The sequence of a run: a quiet period, the crowd with a healthy client, the crowd alone, the crowd's end, and
/// another quiet period.
struct Course {
  private let options: Options

  /// Seconds for which the healthy client is measured, without the crowd and with it. The server ends the first
  /// attackers 15 s after they connect. The crowd connects within 3 s, and is measured before the first end.
  private let healthyTime: Double
  /// Seconds for which only the crowd is connected.
  private static let aloneTime = 10.0
  /// Seconds in addition to the longest `Attack.allowed`.
  private static let mostTime = 230.0
  /// Seconds for the server to notice the end of the last connections.
  private static let settlingTime = 3.0

  init(_ options: Options) {
    self.options = options
    healthyTime = options.isQuick ? 5 : 10
  }

  func run() throws -> Findings {
    // Fills caches and starts threads before anything is compared.
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

/// An error that leaves nothing to report.
struct CourseError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
