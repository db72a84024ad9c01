/// How many exchanges a test expects.
package enum ExchangeCount: Sendable, Equatable {
  case exactly(Int)
  case atLeast(Int)
  case atMost(Int)

  /// The number itself.
  var number: Int {
    switch self {
    case .exactly(let number), .atLeast(let number), .atMost(let number): number
    }
  }

  func allows(_ count: Int) -> Bool {
    switch self {
    case .exactly(let expected): count == expected
    case .atLeast(let min): count >= min
    case .atMost(let max): count <= max
    }
  }

  /// Whether a count is too high, not too low.
  func isExceeded(by count: Int) -> Bool {
    switch self {
    case .exactly(let max), .atMost(let max): count > max
    case .atLeast: false
    }
  }
}

extension ExchangeCount: CustomStringConvertible {
  package var description: String {
    switch self {
    case .exactly(0), .atMost(0): "no"
    case .exactly(let expected): "exactly \(expected)"
    case .atLeast(let min): "at least \(min)"
    case .atMost(let max): "at most \(max)"
    }
  }
}

/// A filter does not match as many exchanges as expected. The description shows what happened instead.
public struct ExchangeMismatch: Error, Sendable {
  /// An exchange that comes close to the filter.
  public struct Near: Sendable {
    public let exchange: Exchange
    /// How it differs from the filter: `the status is 401`; empty for an exchange that matches.
    public let differences: [String]
  }

  /// What was expected and how many exchanges matched, in one sentence.
  public let message: String
  /// How many exchanges matched.
  public let matched: Int
  /// The exchanges that come closest, the closest first. When too many matched, the first of the matching exchanges.
  public let near: [Near]

  static let maxNear = 5

  /// - Parameters:
  ///   - exchanges: all exchanges in the journal, oldest first.
  ///   - lost: how many the journal has already removed.
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
    message = "Expected \(expected) \(filter.description(count: expected.number))\(time), but there \(found).\(note)"
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
    // Of two at the same distance, the later one is more likely to be the one that the test means.
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
