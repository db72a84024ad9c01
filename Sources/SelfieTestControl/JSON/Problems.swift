import HTTPMessages
import Platform
import SelfieTestDocuments

/// Collects what is wrong with a document: sentences that begin with the place of each mistake.
struct Problems {
  /// The time of the check, in unix milliseconds.
  var now: Int64 = 0
  var maxPhotoBytes = Int.max
  var parts: Seed.Parts = [:]
  private(set) var sentences: [String] = []
  /// The values of the records before, by their kinds. Texts that Swift takes for equal may differ.
  var seen: [String: Set<ExactText>] = [:]

  mutating func add(_ sentence: String) { sentences.append(sentence) }

  /// Throws everything that is wrong.
  func check() throws(ControlError) {
    guard sentences.isEmpty else { throw ControlError(.badRequest, sentences) }
  }
}
