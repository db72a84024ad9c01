import Platform

/// A metric: its name, what it says, and where its values are found in a `Source`.
struct Metric<Source>: Sendable {
  let name: String
  let help: String
  /// `counter`, `gauge` or `histogram`.
  let kind: String
  private let samples: @Sendable (Source) -> [Sample]

  private init(_ kind: String, _ name: String, _ help: String, samples: @escaping @Sendable (Source) -> [Sample]) {
    precondition(Exposition.isName(name), "\(name) is no name of a metric")
    self.kind = kind
    self.name = name
    self.help = help
    self.samples = samples
  }

  /// A number that only grows while the process lives; none if it is nil.
  static func counter(
    _ name: String, _ help: String, _ value: @escaping @Sendable (Source) -> (any MetricValue)?
  ) -> Metric {
    Metric("counter", name, help) { value($0).map { [Sample($0)] } ?? [] }
  }

  /// Such numbers, told apart by labels.
  static func counters(
    _ name: String, _ help: String, _ samples: @escaping @Sendable (Source) -> [Sample]
  ) -> Metric {
    Metric("counter", name, help, samples: samples)
  }

  /// A number that grows and shrinks; none if it is nil.
  static func gauge(
    _ name: String, _ help: String, _ value: @escaping @Sendable (Source) -> (any MetricValue)?
  ) -> Metric {
    Metric("gauge", name, help) { value($0).map { [Sample($0)] } ?? [] }
  }

  /// Such numbers, told apart by labels.
  static func gauges(
    _ name: String, _ help: String, _ samples: @escaping @Sendable (Source) -> [Sample]
  ) -> Metric {
    Metric("gauge", name, help, samples: samples)
  }

  /// How many observations there were, and how large.
  static func histogram(
    _ name: String, _ help: String, _ value: @escaping @Sendable (Source) -> ScaledHistogram?
  ) -> Metric {
    Metric("histogram", name, help) { value($0).map { [Sample($0)] } ?? [] }
  }

  /// Such observations, told apart by labels.
  static func histograms(
    _ name: String, _ help: String, _ samples: @escaping @Sendable (Source) -> [Sample]
  ) -> Metric {
    Metric("histogram", name, help, samples: samples)
  }

  func write(_ source: Source, to text: inout Exposition) {
    let samples = samples(source)
    guard !samples.isEmpty else { return }
    text.begin(name, kind: kind, help: help)
    for sample in samples { sample.value.write(name, sample.labels, to: &text) }
  }
}

/// A value of a metric, with the labels that tell it from the metric's others.
struct Sample {
  let labels: [Label]
  let value: any MetricValue

  init(_ value: any MetricValue, _ labels: Label...) {
    self.init(value, labels)
  }

  init(_ value: any MetricValue, _ labels: [Label]) {
    self.labels = labels
    self.value = value
  }
}

struct Label: Sendable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    precondition(Exposition.isName(name) && !name.contains(":") && !name.hasPrefix("__"), "\(name) is no label")
    self.name = name
    self.value = value
  }
}

/// What a sample may have as its value.
protocol MetricValue: Sendable {
  func write(_ name: String, _ labels: [Label], to text: inout Exposition)
}

extension MetricValue where Self: BinaryInteger {
  func write(_ name: String, _ labels: [Label], to text: inout Exposition) {
    text.sample(name, labels, "\(self)")
  }
}

extension Int: MetricValue {}

extension Int64: MetricValue {}

extension Double: MetricValue {
  func write(_ name: String, _ labels: [Label], to text: inout Exposition) {
    text.sample(name, labels, Exposition.number(self))
  }
}

/// What a histogram has observed, in the unit of its metric.
struct ScaledHistogram: MetricValue {
  let reading: Histogram.Reading
  /// How many of the histogram's units are one of the metric's.
  let divisor: Double

  /// - Parameter reading: in nanoseconds.
  static func seconds(_ reading: Histogram.Reading) -> ScaledHistogram {
    ScaledHistogram(reading: reading, divisor: 1_000_000_000)
  }

  static func bytes(_ reading: Histogram.Reading) -> ScaledHistogram {
    ScaledHistogram(reading: reading, divisor: 1)
  }

  func write(_ name: String, _ labels: [Label], to text: inout Exposition) {
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
