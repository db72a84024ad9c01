/// How numbers and times are shown to people. ByteSize.swift reads and writes the sizes in settings.
package enum HumanValue {
  /// "2026-11-21 19:30" of the API's time, which is in UTC; a hyphen for none.
  package static func time(_ text: String?) -> String {
    guard let text, text.count >= 16 else { return text ?? "-" }
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }

  /// "1,204".
  package static func number(_ number: Int) -> String {
    let digits = Array("\(number)")
    return digits.indices.map { $0 > 0 && (digits.count - $0) % 3 == 0 ? ",\(digits[$0])" : "\(digits[$0])" }.joined()
  }

  /// "1.4 MB", in powers of a thousand.
  package static func bytes(_ count: Int64) -> String {
    guard count >= 1000 else { return "\(count) B" }
    var (value, unit) = (Double(count), "B")
    for next in ["kB", "MB", "GB", "TB", "PB", "EB"] where value >= 999.95 { (value, unit) = (value / 1000, next) }
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }

  /// "3 d 4 h", the two largest units.
  package static func duration(seconds: Int64) -> String {
    let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
    let shown = parts.drop { $0.0 == 0 }.prefix(2).map { "\($0.0) \($0.1)" }
    return shown.isEmpty ? "0 s" : shown.joined(separator: " ")
  }
}
