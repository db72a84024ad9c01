/// The text format in which Prometheus reads metrics, version 0.0.4
/// (prometheus.io/docs/instrumenting/exposition_formats).
struct Exposition {
  static let fields: StaticString = """
    Content-Type: text/plain; version=0.0.4; charset=utf-8\r
    Cache-Control: no-store\r\n
    """

  private(set) var bytes: [UInt8] = []

  /// Begins a metric. All of its samples must follow before the next one begins.
  mutating func begin(_ name: String, kind: String, help: String) {
    bytes += "# HELP \(name) ".utf8
    escape(help, quotes: false)
    bytes += "\n# TYPE \(name) \(kind)\n".utf8
  }

  mutating func sample(_ name: String, _ labels: [Sample.Label], _ value: String) {
    bytes += name.utf8
    for (index, label) in labels.enumerated() {
      bytes += (index == 0 ? "{" : ",").utf8
      bytes += "\(label.name)=\"".utf8
      escape(label.value, quotes: true)
      bytes += "\"".utf8
    }
    bytes += "\(labels.isEmpty ? "" : "}") \(value)\n".utf8
  }

  /// A help text may hold quotes; the value of a label stands between them.
  private mutating func escape(_ text: String, quotes: Bool) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
      case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
      case UInt8(ascii: "\"") where quotes: bytes += #"\""#.utf8
      default: bytes.append(byte)
      }
    }
  }

  /// A number as Go writes it: whole numbers without a point, which a bound must keep from one version to the next.
  static func number(_ value: some CustomStringConvertible) -> String {
    let text = "\(value)"
    if let special = ["nan": "NaN", "inf": "+Inf", "-inf": "-Inf"][text] { return special }
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
