/// A place in a dump that cannot be understood.
public struct DumpProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// From 1 on.
  public let line: Int
  public let message: String
  /// Whether what follows cannot be told apart any more, so that reading ends here.
  let endsReading: Bool

  init(line: Int, _ message: String, endsReading: Bool = false) {
    self.line = line
    self.message = message
    self.endsReading = endsReading
  }

  public var description: String { "line \(line): \(message)" }
}

/// All that cannot be understood in a dump: nothing of it may be taken.
public struct DumpProblems: Error, Sendable, CustomStringConvertible {
  /// Problems that are kept: the first explain the others, and a broken dump can have one in every line.
  public static let maxKept = 20

  public private(set) var first: [DumpProblem] = []
  public private(set) var count = 0

  mutating func add(_ problem: DumpProblem) {
    count += 1
    if first.count < Self.maxKept { first.append(problem) }
  }

  /// A line for each that is kept, and how many there are beside them.
  public var lines: [String] {
    first.map(\.description) + (count > first.count ? ["and \(count - first.count) more"] : [])
  }

  public var description: String { lines.joined(separator: "\n") }
}
