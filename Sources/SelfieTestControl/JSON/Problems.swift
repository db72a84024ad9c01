import Platform

/// Collects what is wrong with a seed or a state: sentences that begin with the place of each mistake.
struct Problems {
  /// The time of the check, in unix milliseconds.
  var now: Int64 = 0
  var maxPhotoBytes = Int.max
  private var sentences: [String] = []
  /// The values of the records before, by their kinds. Texts that Swift takes for equal may differ.
  private var seen: [String: Set<ExactText>] = [:]

  mutating func add(_ sentence: String) { sentences.append(sentence) }

  /// Adds a sentence unless a value is the first of its kind.
  mutating func check(_ value: String, isFirst kind: String, _ sentence: @autoclosure () -> String) {
    if !seen[kind, default: []].insert(ExactText(value)).inserted { add(sentence()) }
  }

  /// Adds a sentence unless there is a value of this kind.
  mutating func check(_ value: String, isOneOf kind: String, _ sentence: @autoclosure () -> String) {
    if seen[kind]?.contains(ExactText(value)) != true { add(sentence()) }
  }

  /// Throws all sentences, if there are any.
  func finish() throws(ControlError) {
    guard sentences.isEmpty else { throw ControlError(.invalid, sentences) }
  }
}
