/// The text format in which Prometheus reads metrics, version 0.0.4
/// (prometheus.io/docs/instrumenting/exposition_formats). `MetricsList` has the metrics.
enum Exposition {
  static let fields: StaticString = """
    Content-Type: text/plain; version=0.0.4; charset=utf-8\r
    Cache-Control: no-store\r\n
    """
  private static let escapes: [Unicode.Scalar: String] = ["\\": #"\\"#, "\n": #"\n"#, "\"": #"\""#]

  /// A help text may hold quotes; the value of a label stands between them.
  static func escaped(_ text: String, quotes: Bool) -> String {
    text.unicodeScalars.map { $0 == "\"" && !quotes ? "\"" : escapes[$0] ?? String($0) }.joined()
  }

  /// A number as Go writes it: whole numbers without a point, which a bound must keep from one version to the next.
  static func number(_ value: some CustomStringConvertible) -> String {
    let text = "\(value)"
    if let special = ["nan": "NaN", "inf": "+Inf", "-inf": "-Inf"][text] { return special }
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
