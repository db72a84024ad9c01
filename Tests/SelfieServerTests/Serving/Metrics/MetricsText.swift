import Testing

/// Metrics in Prometheus' text format. promtool checks whether they keep its rules.
struct MetricsText {
  struct Sample {
    let name: String
    let labels: [String: String]
    let value: Double
  }

  let text: String
  let samples: [Sample]

  init(_ text: String) throws {
    self.text = text
    // A regular expression is parsed each time that its literal is evaluated: once for each text, not for each line.
    let sampleLine = /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)/
    let label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"/
    samples = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let match = try #require(line.wholeMatch(of: sampleLine), "\(line)")
      let value = try #require(match.3 == "+Inf" ? .infinity : Double(match.3), "\(line)")
      let labels = (match.2 ?? "").matches(of: label).map { (String($0.1), String($0.2)) }
      return Sample(name: String(match.1), labels: Dictionary(labels) { $1 }, value: value)
    }
  }

  /// The value of the one sample with this name and these labels among others; nil if there is none.
  subscript(name: String, labels: [String: String] = [:]) -> Double? {
    let found = all(name, labels)
    return found.count == 1 ? found[0].value : nil
  }

  /// All samples with this name and these labels among others.
  func all(_ name: String, _ labels: [String: String] = [:]) -> [Sample] {
    samples.filter { sample in sample.name == name && labels.allSatisfy { sample.labels[$0] == $1 } }
  }
}
