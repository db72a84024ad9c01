import Platform
import SelfieTestDocuments

/// How far the exchanges of a journal follow an order at one moment. A check that fails becomes an ``ExchangeMismatch``.
struct OrderTally {
  let order: [ExchangeFilter]
  /// The exchanges that the first filters match, each after the one before.
  private(set) var found: [Exchange] = []
  /// Whether a request under way may belong to them once it has ended.
  private(set) var isOpen = false
  /// All exchanges and requests under way, in the order in which they arrived.
  private let arrivals: [Exchange]
  /// The exchanges that are no longer kept and may have matched.
  let loss: Tally.Loss?

  /// - Parameter arrivals: the exchanges and the requests under way, in the order in which they arrived.
  init(of order: [ExchangeFilter], among arrivals: [Exchange], loss: Tally.Loss?) {
    (self.order, self.arrivals, self.loss) = (order, arrivals, loss)
    var rest = arrivals[...]
    for filter in order {
      let index = rest.firstIndex { filter.match($0) == .yes }
      isOpen = isOpen || rest[..<(index ?? rest.endIndex)].contains { filter.match($0) == .open }
      guard let index else { break }
      found.append(rest[index])
      rest = rest[(index + 1)...]
    }
  }

  var isComplete: Bool { found.count == order.count }

  /// The first filter that no exchange matches; nil if there is none.
  fileprivate var missing: ExchangeFilter? { isComplete ? nil : order[found.count] }

  /// The exchanges that come nearest to the missing one, nearest first.
  fileprivate var nearest: [ExchangeMismatch.Near] {
    guard let missing else { return [] }
    let last = found.last
    let candidates = arrivals.compactMap { exchange -> (distance: Int, near: ExchangeMismatch.Near)? in
      var (distance, differences) = (0, [String]())
      missing.compare(exchange) {
        distance += $0.value
        differences.append($1())
      }
      if let last, exchange.arrival <= last.arrival {
        guard differences.isEmpty else { return nil }
        differences = [exchange.arrival == last.arrival ? "it is the one before" : "it came before \(last.shortName)"]
      }
      return (distance, ExchangeMismatch.Near(exchange, differences: differences))
    }
    // Of two at the same distance, the earlier one is more likely to be the one that the test means.
    return candidates.sorted { ($0.distance, $0.near.id) < ($1.distance, $1.near.id) }.map(\.near)
  }
}

extension Exchange {
  /// `#3` or, of a request under way, `GET /api/get_photos`.
  fileprivate var shortName: String { isUnderWay ? "\(method) \(path)" : "#\(id)" }
}

extension ExchangeMismatch {
  /// - Parameter tally: of an order that the exchanges do not follow.
  init(_ tally: OrderTally) {
    let place = tally.found.last.map { " after \($0)" } ?? ""
    let order = tally.order.map { $0.description(count: 1) }.joined(separator: ", then ")
    let missing = tally.missing?.description(count: 1) ?? ""
    let reason = tally.isOpen ? " A request under way may still be it." : tally.loss.map { " \($0.advice)" } ?? ""
    self.init(
      message: "Expected \(order), but there was no \(missing)\(place).\(reason)", matched: tally.found.count,
      near: Array(tally.nearest.prefix(Self.maxNear)))
  }
}
