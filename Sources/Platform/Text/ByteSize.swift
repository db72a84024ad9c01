private let units = ["K", "M", "G", "T"]
private let maxBytes: Int64 = 1 << 60

// Numbers of bytes as people write them in settings: `500M`, `10G`. `HumanValue` has the sizes that commands print.
extension Int64 {
  /// Reads a whole number, of bytes or of the unit of 1024, 1024², … bytes that follows it. Nil for anything else, and for
  /// what no disk has.
  package init?(byteSize text: String) {
    guard let last = text.last else { return nil }
    let unit = units.firstIndex(of: last.uppercased())
    let digits = unit == nil ? text[...] : text.dropLast()
    guard digits.utf8.allSatisfy(\.isASCIIDigit), let number = Int64(digits)
    else { return nil }
    let (bytes, isTooMuch) = number.multipliedReportingOverflow(by: 1 << (10 * Int64((unit ?? -1) + 1)))
    guard !isTooMuch, bytes <= maxBytes else { return nil }
    self = bytes
  }

  /// In the greatest unit of which it is a whole number: `500 MB`, `1025 bytes`.
  package var byteSize: String {
    for (index, unit) in units.enumerated().reversed() {
      let size: Int64 = 1 << (10 * Int64(index + 1))
      if self >= size && self % size == 0 { return "\(self / size) \(unit)B" }
    }
    return counted(self, "byte")
  }
}
