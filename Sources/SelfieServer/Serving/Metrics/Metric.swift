import Platform

/// A metric: its name, what it says, and where its values are found in a `Source`. `MetricsList` has all metrics. The text
/// is in the format of Prometheus, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
struct Metric<Source>: Sendable {
  enum Kind: String {
    /// Numbers that only grow while the process lives.
    case counter
    /// Numbers that grow and shrink.
    case gauge
    /// How many observations there were, and how large.
    case histogram
  }

  let name: String
  let help: String
  let kind: Kind
  private let samples: @Sendable (Source) -> [Sample]

  /// A metric with any number of values, told apart by labels.
  init(_ kind: Kind, _ name: String, _ help: String, samples: @escaping @Sendable (Source) -> [Sample]) {
    self.kind = kind
    self.name = name
    self.help = help
    self.samples = samples
  }

  /// A counter with one value; none if it is nil.
  static func counter<Value: CustomStringConvertible & SendableMetatype>(
    _ name: String, _ help: String, _ value: @escaping @Sendable (Source) -> Value?
  ) -> Metric {
    Metric(.counter, name, help) { value($0).map { [Sample($0)] } ?? [] }
  }

  /// A gauge with one value; none if it is nil.
  static func gauge<Value: CustomStringConvertible & SendableMetatype>(
    _ name: String, _ help: String, _ value: @escaping @Sendable (Source) -> Value?
  ) -> Metric {
    Metric(.gauge, name, help) { value($0).map { [Sample($0)] } ?? [] }
  }

  /// The metric's lines; none if it has no values.
  func text(of source: Source) -> String {
    let lines = samples(source).flatMap(\.lines).map { line in
      let labels = line.labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
      return "\(name)\(line.suffix)\(labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}") \(line.value)\n"
    }
    guard !lines.isEmpty else { return "" }
    let help = escaped(help, quotes: false)
    return "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n\(lines.joined())"
  }

  /// A help text may hold quotes; the value of a label stands between them.
  private func escaped(_ text: String, quotes: Bool) -> String {
    let escapes: [Unicode.Scalar: String] = ["\\": #"\\"#, "\n": #"\n"#, "\"": quotes ? #"\""# : "\""]
    return text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
  }
}

/// A value of a metric, with the labels that tell it from the metric's others.
struct Sample {
  struct Line {
    /// The end of its name, after the metric's.
    var suffix = ""
    let labels: [MetricLabel]
    let value: String
  }

  let lines: [Line]

  init(_ value: some CustomStringConvertible, _ labels: MetricLabel...) {
    lines = [Line(labels: labels, value: Self.number(value))]
  }

  /// The observations of a histogram of nanoseconds.
  init(seconds reading: Histogram.Reading, _ labels: [MetricLabel] = []) {
    self.init(reading, per: 1_000_000_000, labels)
  }

  /// - Parameter unit: how many of the histogram's units are one of the metric's.
  init(_ reading: Histogram.Reading, per unit: Double = 1, _ labels: [MetricLabel]) {
    var count: Int64 = 0
    let buckets = zip(reading.bounds, reading.counts).map { bound, inBucket in
      count &+= inBucket
      let label = MetricLabel("le", Self.number(Double(bound) / unit))
      return Line(suffix: "_bucket", labels: labels + [label], value: "\(count)")
    }
    lines =
      buckets + [
        Line(suffix: "_bucket", labels: labels + [MetricLabel("le", "+Inf")], value: "\(reading.count)"),
        Line(suffix: "_sum", labels: labels, value: Self.number(Double(reading.sum) / unit)),
        Line(suffix: "_count", labels: labels, value: "\(reading.count)"),
      ]
  }

  /// A number as Go writes it: whole numbers without a point, which a bound must keep from one version to the next.
  static func number(_ value: some CustomStringConvertible) -> String {
    let text = "\(value)"
    if let special = ["nan": "NaN", "inf": "+Inf", "-inf": "-Inf"][text] { return special }
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// A name and a value that tell a sample from others.
struct MetricLabel: Equatable, Sendable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
