/// A text that equals those of the same bytes only, as in databases. To Swift, `"\u{e9}"` and `"e\u{301}"` are
/// equal.
package struct ExactText: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ text: String) {
    description = text
  }

  package static func == (one: ExactText, other: ExactText) -> Bool {
    one.description.utf8.elementsEqual(other.description.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in description.utf8 { hasher.combine(byte) }
    // No byte of UTF-8: the end of the text.
    hasher.combine(UInt8.max)
  }
}
