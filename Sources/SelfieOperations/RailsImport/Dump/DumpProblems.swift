/// Everything in a dump that cannot be understood. If there is anything, nothing of the dump is imported. A row that is
/// understood but not imported is an `ImportPlan.Refusal`.
package struct DumpProblems: Error, Sendable, Equatable {
  /// More problems are only counted. A broken dump can have one in every line, and the first ones explain the rest.
  package static let maxKept = 20

  private var first: [String] = []
  package private(set) var count = 0

  init() {}

  /// - Parameter line: the first is 1.
  init(line: Int, _ message: String) {
    first = ["line \(line): \(message)"]
    count = 1
  }

  mutating func add(_ others: DumpProblems) {
    count += others.count
    first += others.first.prefix(Self.maxKept - first.count)
  }

  /// A line for each problem that was kept, and one that counts the others.
  package var lines: [String] { first + (count > first.count ? ["and \(count - first.count) more"] : []) }
}
