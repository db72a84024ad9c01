/// How many exchanges a test expects.
package struct ExchangeCount: Sendable, Equatable, CustomStringConvertible {
  let range: ClosedRange<Int>
  package let description: String

  package static func exactly(_ count: Int) -> ExchangeCount {
    ExchangeCount(range: count...count, description: count == 0 ? "no" : "exactly \(count)")
  }

  package static func atLeast(_ count: Int) -> ExchangeCount {
    ExchangeCount(range: count...Int.max, description: "at least \(count)")
  }

  package static func atMost(_ count: Int) -> ExchangeCount {
    ExchangeCount(range: Int.min...count, description: count == 0 ? "no" : "at most \(count)")
  }

  /// The number itself.
  var number: Int { range.upperBound == .max ? range.lowerBound : range.upperBound }
}

/// A filter does not match as many exchanges as expected. The description shows what happened instead.
public struct ExchangeMismatch: Error, Sendable {
  /// An exchange that comes close to the filter.
  public struct Near: Sendable {
    public let exchange: Exchange
    /// How it differs from the filter: `the status is 401`; empty for an exchange that matches.
    public let differences: [String]
  }

  /// The expectation and the number of matching exchanges, in one sentence.
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
      matched > expected.range.upperBound
      ? matching.prefix(Self.maxNear).map { Near(exchange: $0, differences: []) }
      : Self.nearest(to: matcher.conditions, among: exchanges)
  }

  private static func nearest(to conditions: [ExchangeMatcher.Condition], among exchanges: [Exchange]) -> [Near] {
    let candidates = exchanges.compactMap { exchange -> (distance: Int, near: Near)? in
      let unmet = conditions.filter { !$0.isMet(exchange) }
      guard !unmet.isEmpty else { return nil }
      let near = Near(exchange: exchange, differences: unmet.map { $0.difference(exchange) })
      return (unmet.reduce(0) { $0 + $1.distance(exchange) }, near)
    }
    // Of two at the same distance, the later one is more likely to be the one that the test means.
    return candidates.sorted { ($0.distance, $1.near.exchange.id) < ($1.distance, $0.near.exchange.id) }
      .prefix(maxNear).map(\.near)
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
