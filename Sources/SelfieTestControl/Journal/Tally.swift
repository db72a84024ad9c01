import Platform
import SelfieTestDocuments

/// The exchanges of a journal that a filter matches at one moment, and what cannot be told about others. A check that
/// fails becomes an ``ExchangeMismatch``.
struct Tally {
  let filter: ExchangeFilter
  /// The exchanges that have ended, and the requests under way that match whatever the response will be; oldest first.
  let matching: [Exchange]
  /// The requests under way that may match once they have ended.
  let open: [Exchange]
  /// The id of the newest exchange at that moment, whether it matches or not; 0 before the first.
  let lastID: Int64
  /// All exchanges and requests under way.
  private let all: [Exchange]
  /// The exchanges that are no longer kept and may have matched.
  let loss: Loss?

  /// - Parameters:
  ///   - ended: the exchanges, oldest first.
  ///   - lastID: of the newest one that there has been.
  ///   - underWay: the requests that are still being answered, oldest first.
  ///   - countsUnderWay: whether one of these counts that will match whatever its response is.
  init(
    of filter: ExchangeFilter, among ended: [Exchange], lastID: Int64, underWay: [Exchange], countsUnderWay: Bool,
    loss: Loss?
  ) {
    self.filter = filter
    self.lastID = lastID
    matching = ended.filter(filter.matches) + (countsUnderWay ? underWay.filter(filter.matches) : [])
    open = underWay.filter { filter.match($0) == .open || !countsUnderWay && filter.matches($0) }
    all = ended + underWay
    self.loss = loss
  }

  /// Exchanges that a journal had no room for.
  struct Loss {
    /// How many were removed since the journal was cleared.
    let lost: Int
    let kept: Int

    /// Says what to do, as the end of a message.
    var advice: String {
      """
      \(HumanValue.number(kept)) \(inflected("request", kept)) \(kept == 1 ? "is" : "are") kept; \(HumanValue.number(lost)) \
      \(lost == 1 ? "has" : "have") gone. Clear the journal first, or raise JOURNAL_SIZE.
      """
    }
  }

  /// The result of a check.
  enum Verdict {
    case asExpected, tooFew, tooMany
    /// Requests under way may still change the result.
    case open
    /// Some exchanges are no longer kept.
    case lost
  }

  /// - Parameter counts: how many exchanges a test expects: to `Int.max` for "at least".
  func verdict(_ counts: ClosedRange<Int>) -> Verdict {
    if matching.count > counts.upperBound { return .tooMany }
    let isLeast = counts.upperBound == .max
    if isLeast { return matching.count < counts.lowerBound ? .tooFew : .asExpected }
    if loss != nil { return .lost }
    if matching.count + open.count < counts.lowerBound { return .tooFew }
    if !open.isEmpty { return .open }
    return counts.contains(matching.count) ? .asExpected : .tooFew
  }
}

extension ExchangeMismatch {
  static let maxNear = 5

  /// - Parameters:
  ///   - counts: how many exchanges the test expects, which are not those of the tally.
  ///   - timeout: how long the test has waited.
  init(expected counts: ClosedRange<Int>, _ tally: Tally, within timeout: Duration? = nil) {
    let verdict = tally.verdict(counts)
    let matched = tally.matching.count
    let time = timeout.map { " within \($0)" } ?? ""
    let found =
      matched == 0 ? "there was none" : matched == 1 ? "there was 1" : "there were \(HumanValue.number(matched))"
    let isLeast = counts.upperBound == .max
    let number = isLeast ? counts.lowerBound : counts.upperBound
    let limit = isLeast ? "at least" : counts.lowerBound == counts.upperBound ? "exactly" : "at most"
    let expected = number == 0 && !isLeast ? "no" : "\(limit) \(number)"
    let result =
      switch verdict {
      case .lost: "that cannot be told: \(tally.loss?.advice ?? "")"
      case .open: "\(found), and \(tally.open.count) more \(tally.open.count == 1 ? "is" : "are") under way."
      case .tooFew: "\(found)." + (tally.loss.map { " \($0.advice)" } ?? "")
      case .asExpected, .tooMany: "\(found)."
      }
    self.init(
      message: "Expected \(expected) \(tally.filter.description(count: number))\(time), but \(result)",
      matched: matched,
      near: tally.matching.prefix(Self.maxNear).map { Near($0, differences: []) }
        + (verdict == .tooMany ? [] : tally.nearest.prefix(Self.maxNear)))
  }
}

extension Tally {
  /// The exchanges that do not match, nearest first.
  fileprivate var nearest: [ExchangeMismatch.Near] {
    let candidates = all.compactMap { exchange -> (distance: Int, near: ExchangeMismatch.Near)? in
      var (distance, differences) = (0, [String]())
      filter.compare(exchange) {
        distance += $0.value
        differences.append($1())
      }
      // One that is waited for.
      if differences.isEmpty, exchange.isUnderWay, !matching.contains(where: \.isUnderWay) {
        differences = ["there is no response yet"]
      }
      return differences.isEmpty ? nil : (distance, ExchangeMismatch.Near(exchange, differences: differences))
    }
    // Of two at the same distance, the later one is more likely to be the one that the test means.
    return candidates.sorted { ($0.distance, $1.near.id) < ($1.distance, $0.near.id) }.map(\.near)
  }
}
