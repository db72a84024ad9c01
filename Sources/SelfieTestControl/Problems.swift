import HTTPMessages

/// Collects what is wrong with a document: sentences that begin with the place of each mistake.
struct Problems {
  private(set) var sentences: [String] = []

  mutating func add(_ sentence: String) { sentences.append(sentence) }

  /// Throws everything that is wrong.
  func check() throws(ControlError) {
    guard sentences.isEmpty else { throw ControlError(.badRequest, sentences) }
  }
}
