/// How many exchanges there must be.
enum ExchangeCount: Sendable, Equatable {
  case exactly(Int)
  case atLeast(Int)
  case atMost(Int)

  func allows(_ count: Int) -> Bool {
    switch self {
    case .exactly(let wanted): count == wanted
    case .atLeast(let least): count >= least
    case .atMost(let most): count <= most
    }
  }

  /// Whether there are too many, not too few.
  func isExceeded(by count: Int) -> Bool {
    switch self {
    case .exactly(let most), .atMost(let most): count > most
    case .atLeast: false
    }
  }
}

extension ExchangeCount: CustomStringConvertible {
  var description: String {
    switch self {
    case .exactly(0), .atMost(0): "no"
    case .exactly(let wanted): "exactly \(wanted)"
    case .atLeast(let least): "at least \(least)"
    case .atMost(let most): "at most \(most)"
    }
  }
}

/// There were not as many exchanges as expected. Printed it shows what there was instead.
public struct ExchangeMismatch: Error, Sendable {
  /// An exchange that might have been meant.
  public struct Near: Sendable {
    public let exchange: Exchange
    /// What it lacks: `the status is 401`; nothing of one that is among those counted.
    public let differences: [String]
  }

  /// What was expected and how many there were, in one sentence.
  public let message: String
  /// How many there were.
  public let matched: Int
  /// The nearest first; where there were too many, those.
  public let near: [Near]

  static let maxNear = 5

  /// - Parameters:
  ///   - exchanges: all there are, oldest first.
  ///   - lost: how many there have been besides.
  init(
    expected: ExchangeCount, _ filter: ExchangeFilter, within timeout: Duration? = nil, among exchanges: [Exchange],
    lost: Int
  ) {
    let matcher = ExchangeMatcher(filter)
    let matching = exchanges.filter(matcher.matches)
    matched = matching.count
    let time = timeout.map { " within \($0)" } ?? ""
    let found = matched == 0 ? "was none" : matched == 1 ? "was 1" : "were \(matched)"
    let note = lost == 0 ? "" : " The \(lost) oldest are not in the journal any more."
    message = "Expected \(expected) \(filter)\(time), but there \(found).\(note)"
    near =
      expected.isExceeded(by: matched)
      ? matching.prefix(Self.maxNear).map { Near(exchange: $0, differences: []) }
      : Self.nearest(to: matcher.criteria, among: exchanges)
  }

  private static func nearest(to criteria: [Criterion], among exchanges: [Exchange]) -> [Near] {
    let candidates = exchanges.compactMap { exchange -> (distance: Int, exchange: Exchange, unmet: [Criterion])? in
      let unmet = criteria.filter { !$0.isMet(by: exchange) }
      guard !unmet.isEmpty else { return nil }
      return (unmet.reduce(0) { $0 + $1.distance(of: exchange) }, exchange, unmet)
    }
    // Of two that are as near, the one that came later is likelier to be meant.
    return candidates.sorted { ($0.distance, $1.exchange.id) < ($1.distance, $0.exchange.id) }
      .prefix(maxNear)
      .map { near in Near(exchange: near.exchange, differences: near.unmet.map { $0.difference(in: near.exchange) }) }
  }
}

extension ExchangeMismatch: CustomStringConvertible {
  public var description: String {
    guard !near.isEmpty else { return message }
    let areCounted = near.allSatisfy(\.differences.isEmpty)
    let title = !areCounted ? "The nearest are:" : near.count < matched ? "The first are:" : "They are:"
    return ([message, title] + near.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension ExchangeMismatch.Near: CustomStringConvertible {
  public var description: String {
    differences.isEmpty ? "\(exchange)" : "\(exchange): \(differences.joined(separator: ", "))"
  }
}
