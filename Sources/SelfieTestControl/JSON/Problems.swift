import HTTPMessages

/// Collects what is wrong with a seed or a state: sentences that begin with the place of each mistake.
struct Problems {
  /// The time of the check, in unix milliseconds.
  var now: Int64 = 0
  var maxPhotoBytes = Int.max
  private var sentences: [String] = []
  /// The values of the records before, by what they are.
  private var seen: [String: Set<AnyHashable>] = [:]

  mutating func add(_ sentence: String) { sentences.append(sentence) }

  /// Adds a sentence unless a value is the first of its kind.
  mutating func check(_ value: some Hashable, isFirst kind: String, _ sentence: @autoclosure () -> String) {
    if !seen[kind, default: []].insert(value).inserted { add(sentence()) }
  }

  /// Adds a sentence unless there is a value of this kind.
  mutating func check(_ value: some Hashable, isOneOf kind: String, _ sentence: @autoclosure () -> String) {
    if seen[kind]?.contains(value) != true { add(sentence()) }
  }

  /// Throws all sentences, if there are any.
  func finish() throws(ControlError) {
    guard sentences.isEmpty else { throw ControlError(.invalid, sentences) }
  }
}
