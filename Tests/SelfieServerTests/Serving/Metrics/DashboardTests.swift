import Foundation
import TestSupport
import Testing

@testable import SelfieServer

/// The files for Grafana and Prometheus in Packaging name metrics that the server has.
@Suite(.timeLimit(.minutes(5))) struct DashboardTests {
  private static let dashboard = "\(checkout)/Packaging/grafana/selfie-server.json"
  private static let rules = "\(checkout)/Packaging/prometheus/selfie-server.rules.yml"

  private static let series = Set(
    MetricsList.all.flatMap { metric in
      metric.kind == .histogram ? ["_bucket", "_sum", "_count"].map { metric.name + $0 } : [metric.name]
    })

  private func names(in text: String) -> Set<String> {
    Set(text.matches(of: /\b(?:selfie|http_server|process)_[a-z_]+/).map { String($0.0) })
  }

  /// The expressions of all panels and variables.
  private func expressions(in value: Any) -> [String] {
    switch value {
    case let object as [String: Any]:
      let own = ["expr", "definition"].compactMap { object[$0] as? String }
      return own + object.values.flatMap(expressions)
    case let array as [Any]: return array.flatMap(expressions)
    default: return []
    }
  }

  private func dashboard() throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: Self.dashboard))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func `the dashboard names only metrics that there are, and nearly all of them`() throws {
    let named = names(in: try expressions(in: dashboard()).joined(separator: "\n"))
    #expect(named.subtracting(Self.series) == [])
    let shown = MetricsList.all.map(\.name).filter { name in named.contains { $0.hasPrefix(name) } }
    let hidden = Set(MetricsList.all.map(\.name)).subtracting(shown)
    #expect(
      hidden == [
        "http_server_request_size_bytes", "selfie_disabled_users", "selfie_backup_bytes", "selfie_backup_failed",
        "process_virtual_memory_bytes", "process_start_time_seconds",
      ])
  }

  @Test func `the rules for alerts name only metrics that there are`() throws {
    let text = try String(contentsOfFile: Self.rules, encoding: .utf8)
    let named = names(in: text)
    #expect(named.count > 5)
    #expect(named.subtracting(Self.series) == [])
  }

  @Test(.enabled(if: PromTool.isInstalled, "needs promtool: apt-get install prometheus"))
  func `promtool takes the rules, and the expressions of the dashboard`() async throws {
    try await PromTool.check("rules checked", String(contentsOfFile: Self.rules, encoding: .utf8))
    // promtool has no check of a single expression, so each becomes a rule. Grafana puts an interval in place of its
    // variable.
    let expressions = try expressions(in: dashboard()).filter { !$0.hasPrefix("label_values") }
    let recorded = expressions.enumerated().map { index, expression in
      let interval = expression.replacing("$__rate_interval", with: "5m").replacing("'", with: "''")
      return "      - record: 'a:\(index)'\n        expr: '\(interval)'\n"
    }
    let panels = try await PromTool.check(
      "rules checked", "groups:\n  - name: a\n    rules:\n\(recorded.joined())")
    #expect(panels.output.contains { $0.contains("\(expressions.count) rules found") }, "\(panels.output)")
  }
}
