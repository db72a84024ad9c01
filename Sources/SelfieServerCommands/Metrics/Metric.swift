import Platform

/// A metric: its name, what it says, and where its values are found in a `Source`.
struct Metric<Source>: Sendable {
  let name: String
  let help: String
  /// `counter`, `gauge` or `histogram`.
  let kind: String
  private let samples: @Sendable (Source) -> [Sample]

  private init(_ kind: String, _ name: String, _ help: String, samples: @escaping @Sendable (Source) -> [Sample]) {
    self.kind = kind
    self.name = name
    self.help = help
    self.samples = samples
  }

  /// A number that only grows while the process lives; none if it is nil.
  static func counter<Value: CustomStringConvertible & SendableMetatype>(
    _ name: String, _ help: String, _ value: @escaping @Sendable (Source) -> Value?
  ) -> Metric {
    Metric("counter", name, help) { value($0).map { [Sample($0)] } ?? [] }
  }

  /// Such numbers, told apart by labels.
  static func counters(_ name: String, _ help: String, _ samples: @escaping @Sendable (Source) -> [Sample]) -> Metric {
    Metric("counter", name, help, samples: samples)
  }

  /// A number that grows and shrinks; none if it is nil.
  static func gauge<Value: CustomStringConvertible & SendableMetatype>(
    _ name: String, _ help: String, _ value: @escaping @Sendable (Source) -> Value?
  ) -> Metric {
    Metric("gauge", name, help) { value($0).map { [Sample($0)] } ?? [] }
  }

  /// Such numbers, told apart by labels.
  static func gauges(_ name: String, _ help: String, _ samples: @escaping @Sendable (Source) -> [Sample]) -> Metric {
    Metric("gauge", name, help, samples: samples)
  }

  /// How many observations there were, and how large.
  static func histograms(
    _ name: String, _ help: String, _ samples: @escaping @Sendable (Source) -> [Sample]
  ) -> Metric {
    Metric("histogram", name, help, samples: samples)
  }

  func write(_ source: Source, to text: inout Exposition) {
    let samples = samples(source)
    guard !samples.isEmpty else { return }
    text.begin(name, kind: kind, help: help)
    for line in samples.flatMap(\.lines) { text.sample(name + line.suffix, line.labels, line.value) }
  }
}

/// A value of a metric, with the labels that tell it from the metric's others.
struct Sample {
  typealias Label = (name: String, value: String)

  /// What a line adds to the metric's name, its labels and its value.
  let lines: [(suffix: String, labels: [Label], value: String)]

  init(_ value: some CustomStringConvertible, _ labels: Label...) {
    lines = [("", labels, Exposition.number(value))]
  }

  /// What a histogram of nanoseconds has observed.
  init(seconds reading: Histogram.Reading, _ labels: [Label] = []) {
    self.init(reading, per: 1_000_000_000, labels)
  }

  init(bytes reading: Histogram.Reading, _ labels: [Label]) {
    self.init(reading, per: 1, labels)
  }

  /// - Parameter unit: how many of the histogram's units are one of the metric's.
  private init(_ reading: Histogram.Reading, per unit: Double, _ labels: [Label]) {
    var count: Int64 = 0
    let buckets = zip(reading.bounds, reading.counts).map { bound, inBucket in
      count &+= inBucket
      return ("_bucket", labels + [("le", Exposition.number(Double(bound) / unit))], "\(count)")
    }
    lines =
      buckets + [
        ("_bucket", labels + [("le", "+Inf")], "\(reading.count)"),
        ("_sum", labels, Exposition.number(Double(reading.sum) / unit)), ("_count", labels, "\(reading.count)"),
      ]
  }
}
