/// The records of the cases. Each line has a kind and its members, separated by tabs.
struct Results {
  /// In the order in which they were first recorded.
  private(set) var measures: [Measure] = []
  private(set) var goals: [Goal] = []
  private(set) var notes: [String] = []

  init(_ text: String) throws {
    for line in text.split(separator: "\n") {
      let members = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      switch (members[0], members.count) {
      case ("measure", 3): measures.append(Measure(name: members[1], title: members[2]))
      case ("value", 6):
        guard let round = Int(members[3]), let value = Double(members[4]),
          let index = measures.firstIndex(where: { $0.name == members[1] })
        else { throw ResultsError(line: line) }
        measures[index].add(value, round: round, contender: members[2], unit: members[5])
      case ("goal", 7):
        guard let goal = Goal(members.dropFirst()) else { throw ResultsError(line: line) }
        goals.append(goal)
      case ("note", 2): notes.append(members[1])
      default: throw ResultsError(line: line)
      }
    }
  }

  func measure(_ name: String) -> Measure? { measures.first { $0.name == name } }
}

/// A line that no case could have written.
struct ResultsError: Error, CustomStringConvertible {
  let line: Substring

  var description: String { "this is no result: \(line)" }
}

/// One measure, with one or more contenders, in rounds.
struct Measure {
  let name: String
  let title: String
  private(set) var unit = ""
  private(set) var contenders: [String] = []
  private var values: [String: [Int: Double]] = [:]

  init(name: String, title: String) {
    self.name = name
    self.title = title
  }

  mutating func add(_ value: Double, round: Int, contender: String, unit: String) {
    self.unit = unit
    if !contenders.contains(contender) { contenders.append(contender) }
    values[contender, default: [:]][round] = value
  }

  func spread(of contender: String) -> Spread? {
    Spread((values[contender] ?? [:]).values)
  }

  /// The ratio of the contender's value to the other's, for each round that has both.
  func ratio(of contender: String, to other: String) -> Spread? {
    let (values, others) = (values[contender] ?? [:], values[other] ?? [:])
    return Spread(
      values.compactMap { round, value in
        others[round].flatMap { $0 > 0 ? value / $0 : nil }
      })
  }
}

/// The median of some values, with the lowest and the highest.
struct Spread {
  let least: Double
  let median: Double
  let most: Double
  let count: Int

  /// Nil if there are no values.
  init?(_ values: some Collection<Double>) {
    let sorted = values.sorted()
    guard let least = sorted.first, let most = sorted.last else { return nil }
    let middle = sorted.count / 2
    self.least = least
    self.most = most
    count = sorted.count
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
