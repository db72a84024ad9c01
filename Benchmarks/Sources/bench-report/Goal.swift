import Measuring

/// A bound for a value, or for its ratio to another contender's.
struct Goal {
  enum Relation: String {
    case atLeast = "at-least"
    case atMost = "at-most"
    case below
    /// For every value, not for the median.
    case alwaysBelow = "always-below"

    var sign: String {
      switch self {
      case .atLeast: "≥"
      case .atMost: "≤"
      case .below, .alwaysBelow: "<"
      }
    }

    func holds(_ value: Double, _ bound: Double) -> Bool {
      switch self {
      case .atLeast: value >= bound
      case .atMost: value <= bound
      case .below, .alwaysBelow: value < bound
      }
    }
  }

  let measure: String
  /// What the contender is compared with.
  let text: String
  let contender: String
  let relation: Relation
  let bound: Double
  /// The contender that it is compared with; nil if the bound is absolute.
  let baseline: String?

  /// The members of a line: measure, text, contender, relation, bound, baseline.
  init?(_ members: ArraySlice<String>) {
    let members = Array(members)
    guard members.count == 6, let relation = Relation(rawValue: members[3]), let bound = Double(members[4]) else {
      return nil
    }
    measure = members[0]
    text = members[1]
    contender = members[2]
    self.relation = relation
    self.bound = bound
    baseline = members[5].isEmpty ? nil : members[5]
  }
}

/// The result of a goal.
struct Verdict {
  let goal: Goal
  let measured: Spread?
  private let unit: String

  init(_ goal: Goal, _ results: Results) {
    self.goal = goal
    let measure = results.measure(goal.measure)
    measured = goal.baseline.map { measure?.ratio(of: goal.contender, to: $0) } ?? measure?.spread(of: goal.contender)
    unit = goal.baseline == nil ? " \(measure?.unit ?? "")" : "×"
  }

  /// The values that decide the goal; nil if nothing was measured.
  private var judged: Double? { goal.relation == .alwaysBelow ? measured?.most : measured?.median }

  var holds: Bool? { judged.map { goal.relation.holds($0, goal.bound) } }

  var bound: String {
    let bound = goal.bound
    return "\(goal.relation.sign) \(decimals(bound, bound == bound.rounded() ? 0 : 2))\(unit)"
  }

  var value: String {
    guard let measured, let judged else { return "not measured" }
    let range = measured.count > 1 ? " (\(figure(measured.least))–\(figure(measured.most)))" : ""
    return "**\(figure(judged))\(unit)**\(range)"
  }
}

/// A number with three significant digits and separated thousands.
func figure(_ number: Double) -> String {
  switch number.magnitude {
  case ..<10: return decimals(number, 2)
  case ..<1000: return decimals(number, 1)
  default:
    var (rest, groups) = (Int(number.rounded()), [String]())
    while rest >= 1000 {
      let group = "\(rest % 1000)"
      groups.insert(String(repeating: "0", count: 3 - group.count) + group, at: 0)
      rest /= 1000
    }
    return (["\(rest)"] + groups).joined(separator: ",")
  }
}
