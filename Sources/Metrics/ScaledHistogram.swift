import Platform

/// What a histogram has observed, in the unit of its metric.
package struct ScaledHistogram: MetricValue {
  let reading: Histogram.Reading
  /// How many of the histogram's units are one of the metric's.
  let divisor: Double

  /// - Parameter reading: in nanoseconds.
  package static func seconds(_ reading: Histogram.Reading) -> ScaledHistogram {
    ScaledHistogram(reading: reading, divisor: 1_000_000_000)
  }

  package static func bytes(_ reading: Histogram.Reading) -> ScaledHistogram {
    ScaledHistogram(reading: reading, divisor: 1)
  }

  package func write(_ name: String, _ labels: [Label], to text: inout Exposition) {
    var count: Int64 = 0
    for (bucket, bound) in reading.bounds.enumerated() {
      count &+= reading.counts[bucket]
      text.sample("\(name)_bucket", labels + [Label("le", Exposition.number(Double(bound) / divisor))], "\(count)")
    }
    text.sample("\(name)_bucket", labels + [Label("le", Exposition.number(.infinity))], "\(reading.count)")
    text.sample("\(name)_sum", labels, Exposition.number(Double(reading.sum) / divisor))
    text.sample("\(name)_count", labels, "\(reading.count)")
  }
}
