/// A part of a dump that cannot be understood.
public struct DumpProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The first line is 1.
  public let line: Int
  public let message: String
  /// Whether the rest of the dump cannot be understood either, so that reading ends here.
  let endsReading: Bool

  init(line: Int, _ message: String, endsReading: Bool = false) {
    self.line = line
    self.message = message
    self.endsReading = endsReading
  }

  public var description: String { "line \(line): \(message)" }
}

/// Everything in a dump that cannot be understood. If there is anything, nothing of the dump is imported.
public struct DumpProblems: Error, Sendable, CustomStringConvertible {
  /// More problems are only counted. A broken dump can have one in every line, and the first ones explain the rest.
  public static let maxKept = 20

  public private(set) var first: [DumpProblem] = []
  public private(set) var count = 0

  mutating func add(_ problem: DumpProblem) {
    count += 1
    if first.count < Self.maxKept { first.append(problem) }
  }

  /// A line for each problem that was kept, and one that counts the others.
  public var lines: [String] {
    first.map(\.description) + (count > first.count ? ["and \(count - first.count) more"] : [])
  }

  public var description: String { lines.joined(separator: "\n") }
}
