import Foundation
import Platform
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
        "process_virtual_memory_bytes", "process_start_time_seconds", "selfie_memory_uncounted_bytes",
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

/// The text, byte for byte, by prometheus.io/docs/instrumenting/exposition_formats.
@Suite struct MetricTests {
  private func text<Source>(_ metrics: [Metric<Source>], of source: Source) -> String {
    metrics.map { $0.text(of: source) }.joined()
  }

  @Test func `a metric has its help, its type and its values`() {
    let metrics: [Metric<Int>] = [
      .counter("a_total", "How many.") { $0 },
      Metric(.gauge, "b", "How much.") {
        [Sample($0, MetricLabel("c", "d")), Sample(0.5, MetricLabel("c", "e"), MetricLabel("f", "g"))]
      },
    ]
    #expect(
      text(metrics, of: 7) == """
        # HELP a_total How many.
        # TYPE a_total counter
        a_total 7
        # HELP b How much.
        # TYPE b gauge
        b{c="d"} 7
        b{c="e",f="g"} 0.5

        """)
  }

  @Test func `a metric without a value is left out`() {
    let metrics: [Metric<Int?>] = [.gauge("a", "A.") { $0 }, Metric(.gauge, "b", "B.") { _ in [] }]
    #expect(text(metrics, of: nil).isEmpty)
  }

  @Test func `a help text escapes backslashes and ends of lines, and a label quotes as well`() {
    let nasty = "\\ \n \" é"
    let metric: Metric<Int> = Metric(.gauge, "a", nasty) { [Sample($0, MetricLabel("b", nasty))] }
    #expect(
      text([metric], of: 1) == #"""
        # HELP a \\ \n " é
        # TYPE a gauge
        a{b="\\ \n \" é"} 1

        """#)
  }

  @Test func `a histogram's buckets count what is within their bounds, and the last one everything`() {
    let histogram = Histogram(bounds: [5_000_000, 1_000_000_000])
    for value: Int64 in [0, 5_000_000, 5_000_001, 1_000_000_000, 2_500_000_000] { histogram.observe(value) }
    let metric: Metric<Histogram.Reading> = Metric(.histogram, "a_seconds", "A.") {
      [Sample(seconds: $0, [MetricLabel("b", "c")])]
    }
    #expect(
      text([metric], of: histogram.reading) == """
        # HELP a_seconds A.
        # TYPE a_seconds histogram
        a_seconds_bucket{b="c",le="0.005"} 2
        a_seconds_bucket{b="c",le="1"} 4
        a_seconds_bucket{b="c",le="+Inf"} 5
        a_seconds_sum{b="c"} 3.510000001
        a_seconds_count{b="c"} 5

        """)
  }

  @Test(arguments: [
    (0, "0"), (1, "1"), (-2.5, "-2.5"), (0.0001, "0.0001"), (0.00001, "1e-05"), (1_795_301_854.41, "1795301854.41"),
    (1e21, "1e+21"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
  ])
  func `a number is written as Go reads it`(number: Double, text: String) {
    #expect(Sample.number(number) == text)
  }
}
