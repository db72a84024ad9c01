import HTTPMessages
import Platform
import SelfieAPI
import SelfieTestDocuments

// Adds to a failed check what else may explain it. `Tally` makes the check and its sentence.
extension Worlds {
  func explaining(
    _ filter: ExchangeFilter, in world: World, _ check: () async throws -> Response
  ) async throws -> Response {
    do {
      return try await check()
    } catch var mismatch as ExchangeMismatch {
      mismatch.circumstances = world.circumstances
      if let fault = connectionFaults.current { mismatch.circumstances.append(fault.sentence) }
      if mismatch.matched == 0, let elsewhere = await self.elsewhere(filter, not: world) {
        mismatch.circumstances.append(elsewhere)
      }
      throw mismatch
    }
  }

  /// Names worlds that have such requests. An app that forgets the world's field sends all of them to the main world.
  private func elsewhere(_ filter: ExchangeFilter, not world: World) async -> String? {
    var filter = filter
    // Each world has ids of its own.
    (filter.since, filter.fault) = (nil, nil)
    let others = ([Named(name: "main", world: main)] + named).filter { $0.world !== world }
    let counts = try? await pool.run { [filter] in
      others.lazy.compactMap { other in
        let count = other.world.journal.count(matching: filter)
        return count == 0 ? nil : "\(count) in world \(other.name)"
      }.prefix(Self.maxShown).joined(separator: ", ")
    }
    guard let counts, !counts.isEmpty else { return nil }
    return "Other worlds have such requests: \(counts). Does the app send the field X-Test-World?"
  }

  private static let maxShown = 3
}

extension World {
  /// The clock and the faults that the test has set.
  fileprivate var circumstances: [String] {
    var circumstances: [String] = []
    if clock.isFrozen || clock.offset != 0 {
      let way = clock.isFrozen ? "is frozen at" : "was set, and shows"
      circumstances.append("The clock \(way) \(Timestamp.text(unixMilliseconds: clock.time)).")
    }
    return circumstances + faults.all.map(\.sentence)
  }
}

extension ListedFault {
  /// `Fault 1 for POST /api/signin has fired twice, and can fire once more.`
  fileprivate var sentence: String {
    let place = (rule.method.map { "\($0) " } ?? "") + (rule.path ?? "any path")
    let past = fired == 0 ? "has not fired" : "has fired \(Self.times(fired))"
    let future = remaining.map {
      $0 == 0 ? ", and cannot fire any more" : ", and can fire \(Self.times($0)) more"
    }
    return "Fault \(id) for \(place) \(past)\(future ?? "")."
  }

  private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}

extension ConnectionFault {
  fileprivate var sentence: String {
    let what = fault == .refused ? "are refused" : "see the certificate of the fault \(fault.rawValue)"
    return "New connections \(what) for another \((duration.milliseconds + 999) / 1000) s."
  }
}
