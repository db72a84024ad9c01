/// A text that equals those of the same bytes only, as in databases. To Swift, `"\u{e9}"` and `"e\u{301}"` are equal.
/// `constantTimeEqual` in Cryptography compares secrets.
package struct ExactText: Sendable, Hashable, CustomStringConvertible {
  private let bytes: [UInt8]

  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  package var description: String { String(decoding: bytes, as: UTF8.self) }
}
