import Platform
import Testing

@testable import SelfieServer

/// The text, byte for byte, by prometheus.io/docs/instrumenting/exposition_formats.
@Suite struct MetricTests {
  private func text<Source>(_ metrics: [Metric<Source>], of source: Source) -> String {
    metrics.map { $0.text(of: source) }.joined()
  }

  @Test func `a metric has its help, its type and its values`() {
    let metrics: [Metric<Int>] = [
      .counter("a_total", "How many.") { $0 },
      Metric(.gauge, "b", "How much.") { [Sample($0, ("c", "d")), Sample(0.5, ("c", "e"), ("f", "g"))] },
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
    let metric: Metric<Int> = Metric(.gauge, "a", nasty) { [Sample($0, ("b", nasty))] }
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
      [Sample(seconds: $0, [("b", "c")])]
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
