extension String {
  /// How many columns of a terminal the text takes, as far as terminals agree: two for the letters of East Asia and for
  /// most emoji (Unicode Standard Annex 11), none for what combines with the letter before it.
  var displayWidth: Int { unicodeScalars.reduce(0) { $0 + $1.displayWidth } }

  /// The text, or as much of its beginning as fits, with an ellipsis behind it.
  func shortened(toWidth max: Int) -> String {
    guard displayWidth > max else { return self }
    var (text, width) = ("", 1)
    for scalar in unicodeScalars {
      width += scalar.displayWidth
      guard width <= max else { break }
      text.unicodeScalars.append(scalar)
    }
    return text + "…"
  }
}

extension Unicode.Scalar {
  fileprivate var displayWidth: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: 0
    default: Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
  }

  /// The ranges that are East Asian Wide or Fullwidth.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x231a...0x231b, 0x23e9...0x23ec, 0x2614...0x2615, 0x2648...0x2653, 0x26a1...0x26a1,
    0x2705...0x2705, 0x2728...0x2728, 0x2753...0x2755, 0x2795...0x2797, 0x2b1b...0x2b1c, 0x2e80...0x303e,
    0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff,
    0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6, 0x1b000...0x1b2ff, 0x1f300...0x1f64f, 0x1f680...0x1f6ff,
    0x1f7e0...0x1f7eb, 0x1f900...0x1f9ff, 0x1fa70...0x1faff, 0x20000...0x3fffd,
  ]
}
