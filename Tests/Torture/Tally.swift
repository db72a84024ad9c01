/// What was done, and what came of it.
package struct Tally: Sendable {
  package internal(set) var acknowledged: [Operation: Int] = [:]
  /// Answered by an error while a fault was there.
  package internal(set) var refused: [Operation: Int] = [:]
  /// Reads during load: lists and downloads.
  package internal(set) var reads = 0
  /// Writes without a response, or with an error, which turned out to have happened.
  package internal(set) var happened: [Operation: Int] = [:]
  /// Those which turned out not to.
  package internal(set) var vanished: [Operation: Int] = [:]
  /// Passwords, tokens, photos and their absences that were looked at.
  package internal(set) var verified = 0
  /// How often a server had no time for a request of a verification, which was sent again.
  package internal(set) var retries = 0

  package var acknowledgedInAll: Int { acknowledged.values.reduce(0, +) }

  mutating func add(_ other: Tally) {
    for counts in [\Tally.acknowledged, \.refused, \.happened, \.vanished] {
      self[keyPath: counts].merge(other[keyPath: counts], uniquingKeysWith: +)
    }
    reads += other.reads
    verified += other.verified
    retries += other.retries
  }

  mutating func settled(_ operation: Operation, happened isThere: Bool) {
    if isThere { happened[operation, default: 0] += 1 } else { vanished[operation, default: 0] += 1 }
  }

  /// A table, a line for each operation.
  package var table: String {
    var lines = [
      "| operation | acknowledged | refused | in doubt: happened | did not |", "|---|---|---|---|---|",
    ]
    for operation in Operation.allCases {
      let counts = [acknowledged, refused, happened, vanished].map { "\($0[operation] ?? 0)" }
      lines.append("| \(operation.rawValue) | \(counts.joined(separator: " | ")) |")
    }
    lines.append("\(reads) reads under load, \(verified) things verified")
    return lines.joined(separator: "\n")
  }
}
