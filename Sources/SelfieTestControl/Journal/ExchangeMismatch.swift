import SelfieTestDocuments

// Makes the report from the journal. Its fields are in SelfieTestDocuments, and `ExchangeFilter` decides what fits.
extension ExchangeMismatch {
  static let maxNear = 5

  /// - Parameters:
  ///   - counts: how many exchanges the test expects.
  ///   - exchanges: all exchanges in the journal, oldest first.
  ///   - lost: how many the journal has already removed.
  init(
    expected counts: ClosedRange<Int>, _ filter: ExchangeFilter, within timeout: Duration? = nil,
    among exchanges: [Exchange], lost: Int
  ) {
    let matching = exchanges.filter(filter.matches)
    let matched = matching.count
    let time = timeout.map { " within \($0)" } ?? ""
    let found = matched == 0 ? "was none" : matched == 1 ? "was 1" : "were \(matched)"
    let note = lost == 0 ? "" : " The \(lost) oldest are no longer kept."
    let isLeast = counts.upperBound == .max
    let number = isLeast ? counts.lowerBound : counts.upperBound
    let limit = isLeast ? "at least" : counts.lowerBound == counts.upperBound ? "exactly" : "at most"
    let expected = number == 0 && !isLeast ? "no" : "\(limit) \(number)"
    self.init(
      message: "Expected \(expected) \(filter.description(count: number))\(time), but there \(found).\(note)",
      matched: matched,
      near: matched > counts.upperBound
        ? matching.prefix(Self.maxNear).map { Near($0, differences: []) }
        : Self.nearest(to: filter, among: exchanges))
  }

  private static func nearest(to filter: ExchangeFilter, among exchanges: [Exchange]) -> [Near] {
    let candidates = exchanges.compactMap { exchange -> (distance: Int, near: Near)? in
      var (distance, differences) = (0, [String]())
      filter.compare(exchange) {
        distance += $0
        differences.append($1())
      }
      return differences.isEmpty ? nil : (distance, Near(exchange, differences: differences))
    }
    // Of two at the same distance, the later one is more likely to be the one that the test means.
    return candidates.sorted { ($0.distance, $1.near.id) < ($1.distance, $0.near.id) }
      .prefix(maxNear).map(\.near)
  }
}
