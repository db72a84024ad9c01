import Platform

/// The name of a user, as the columns of the table `users` have it.
package struct FullName: Sendable {
  package let first: String?
  package let last: String?

  package init(first: String?, last: String?) {
    self.first = first
    self.last = last
  }

  /// The first and the last word of a text, which are the same if there is one only. As Ruby's `split(" ")` does, it splits
  /// at ASCII white space.
  package init(_ text: String) {
    // Of bytes, since a pass over the scalars of a long text holds an event loop ten times as long.
    let bytes = Array(text.utf8)
    guard let start = bytes.firstIndex(where: { !$0.isASCIISpace }),
      let end = bytes.lastIndex(where: { !$0.isASCIISpace })
    else {
      self.init(first: nil, last: nil)
      return
    }
    let words = bytes[start...end]
    let first = words.prefix { !$0.isASCIISpace }
    let last = words.lastIndex(where: \.isASCIISpace).map { words[$0...].dropFirst() } ?? words
    self.init(first: String(decoding: first, as: UTF8.self), last: String(decoding: last, as: UTF8.self))
  }
}
