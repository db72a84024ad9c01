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
  ///   - counts: how many exchanges the test expects.
  ///   - exchanges: all exchanges in the journal, oldest first.
  ///   - lost: how many the journal has already removed.
  init(
    expected counts: ClosedRange<Int>, _ filter: ExchangeFilter, within timeout: Duration? = nil,
    among exchanges: [Exchange], lost: Int
  ) {
    let conditions = filter.conditions
    let matching = exchanges.filter(conditions.areMet)
    matched = matching.count
    let time = timeout.map { " within \($0)" } ?? ""
    let found = matched == 0 ? "was none" : matched == 1 ? "was 1" : "were \(matched)"
    let note = lost == 0 ? "" : " The \(lost) oldest are no longer kept."
    let isLeast = counts.upperBound == .max
    let number = isLeast ? counts.lowerBound : counts.upperBound
    let limit = isLeast ? "at least" : counts.lowerBound == counts.upperBound ? "exactly" : "at most"
    let expected = number == 0 && !isLeast ? "no" : "\(limit) \(number)"
    message = "Expected \(expected) \(filter.description(count: number))\(time), but there \(found).\(note)"
    near =
      matched > counts.upperBound
      ? matching.prefix(Self.maxNear).map { Near(exchange: $0, differences: []) }
      : Self.nearest(to: conditions, among: exchanges)
  }

  private static func nearest(to conditions: [ExchangeCondition], among exchanges: [Exchange]) -> [Near] {
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
