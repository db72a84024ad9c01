import HTTPMessages
import SelfieAPI
import Synchronization
import Platform

/// What goes wrong in a world: rules, looked at for each request in the order in which they were added.
///
/// The first one that fires is done, and those behind it are not looked at; but a rule that only delays lets them be
/// looked at all the same, and its delay is added to theirs. All delays of an answer together are at most a minute.
public final class FaultRules: Sendable {
  /// Names a rule among those of its world.
  public typealias ID = Int

  /// Enough for any test; each request is compared with all of them.
  public static let maxCount = 100

  /// A rule, and what it has done.
  public struct Entry: Sendable, Equatable {
    public let id: ID
    public let rule: FaultRule
    /// Requests of its method and path that were compared with it.
    public internal(set) var matched = 0
    /// Requests of those that it fired for.
    public internal(set) var fired = 0

    /// How many times it still fires; nil for ever.
    public var remaining: Int? { rule.count.map { max(0, $0 - fired) } }
  }

  private struct State {
    var rules: [LiveRule] = []
    var lastID = 0
    /// Answers that are late, by a number each.
    var delays: [Int: Task<Void, Never>] = [:]
    var lastDelay = 0
    /// How many times all rules were removed: delays from before are over.
    var clearings = 0
  }

  /// What is to become of a request.
  private struct Verdict {
    var fault: ID?
    var effect = FaultRule.Effect.none
    var delay = Duration.zero
    let clearings: Int
  }

  private let state = Monitor(State())
  /// Known without the lock, for the requests of those who have no rules.
  private let isEmpty = Atomic<Bool>(true)

  public init() {}

  /// All rules, with what they have done.
  public var all: [Entry] { state.withLock { $0.rules.map(\.entry) } }

  /// A rule, with what it has done; nil when it is not there any more.
  public subscript(id: ID) -> Entry? { all.first { $0.id == id } }

  /// Adds a rule behind the others. Where there are too many, those that fire no more make room.
  @discardableResult
  public func add(_ rule: FaultRule) throws(FaultRuleError) -> ID {
    try add([rule])[0]
  }

  /// Adds all of these rules or, if one cannot be, none.
  @discardableResult
  public func add(_ rules: [FaultRule]) throws(FaultRuleError) -> [ID] {
    for rule in rules { try rule.check() }
    let ids: [ID]? = state.withLock { state in
      if state.rules.count + rules.count > Self.maxCount { state.rules.removeAll { $0.entry.remaining == 0 } }
      guard state.rules.count + rules.count <= Self.maxCount else { return nil }
      let ids = rules.indices.map { state.lastID + 1 + $0 }
      state.lastID += rules.count
      state.rules += zip(ids, rules).map { LiveRule(id: $0, rule: $1) }
      isEmpty.store(state.rules.isEmpty, ordering: .relaxed)
      return ids
    }
    guard let ids else { throw FaultRuleError("There may be \(Self.maxCount) rules at once. Remove some first.") }
    return ids
  }

  /// Forgets a rule; false when there is none.
  @discardableResult
  public func remove(_ id: ID) -> Bool {
    state.withLock { state in
      let count = state.rules.count
      state.rules.removeAll { $0.entry.id == id }
      isEmpty.store(state.rules.isEmpty, ordering: .relaxed)
      return state.rules.count < count
    }
  }

  /// Forgets all rules. Answers that are late because of them come now.
  public func removeAll() {
    let delays = state.withLock { state in
      state.rules = []
      state.clearings += 1
      isEmpty.store(true, ordering: .relaxed)
      return state.delays.values
    }
    for delay in delays { delay.cancel() }
  }

  // MARK: - Requests

  /// Whether a rule is for the path of this request and no other.
  func names(_ request: Request) -> Bool {
    if isEmpty.load(ordering: .relaxed) { return false }
    return state.withLock { $0.rules.contains { $0.names(request) } }
  }

  /// Answers a request as the rules want it.
  ///
  /// - Parameter handle: gives the right answer.
  /// - Returns: also the rule that fired; of several the last.
  package func respond(
    to request: Request, by handle: (Request) async -> Response
  ) async -> (response: Response, fault: ID?) {
    if isEmpty.load(ordering: .relaxed) { return (await handle(request), nil) }
    let verdict = judge(request)
    let response: Response
    if let instead = verdict.effect.instead {
      response = instead
    } else {
      response = verdict.effect.applied(to: await handle(request))
    }
    if verdict.delay > .zero { await wait(verdict) }
    return (response, verdict.fault)
  }

  private func judge(_ request: Request) -> Verdict {
    let mustBeNamed = Application.isAboutServer(request)
    return state.withLock { state in
      var verdict = Verdict(clearings: state.clearings)
      for index in state.rules.indices {
        if mustBeNamed, !state.rules[index].names(request) { continue }
        guard state.rules[index].fires(for: request) else { continue }
        verdict.fault = state.rules[index].entry.id
        verdict.delay = min(verdict.delay + state.rules[index].drawDelay(), FaultRule.Bounds.maxPause)
        verdict.effect = state.rules[index].entry.rule.effect
        if verdict.effect != .none { break }
      }
      return verdict
    }
  }

  /// Ends early when the client has gone, or the rules have.
  private func wait(_ verdict: Verdict) async {
    let (number, delay): (Int, Task<Void, Never>?) = state.withLock { state in
      guard state.clearings == verdict.clearings else { return (0, nil) }
      let delay = Task<Void, Never> { try? await Task.sleep(for: verdict.delay) }
      state.lastDelay += 1
      state.delays[state.lastDelay] = delay
      return (state.lastDelay, delay)
    }
    guard let delay else { return }
    await withTaskCancellationHandler {
      await delay.value
    } onCancel: {
      delay.cancel()
    }
    state.withLock { $0.delays[number] = nil }
  }
}

/// A rule at work.
private struct LiveRule {
  var entry: FaultRules.Entry
  private let method: Method?
  private let path: PathPattern?
  private var generator: SeededGenerator

  init(id: FaultRules.ID, rule: FaultRule) {
    entry = FaultRules.Entry(id: id, rule: rule)
    method = rule.method.map(Method.init)
    path = rule.path.map(PathPattern.init)
    generator = SeededGenerator(seed: rule.seed)
  }

  /// Whether it is for the path of a request and no other.
  func names(_ request: Request) -> Bool {
    guard let path, path.isExact else { return false }
    return path.matches(request.head.path)
  }

  /// Compares a request with the rule, and counts it.
  mutating func fires(for request: Request) -> Bool {
    if let method, method != request.head.method { return false }
    if let path, !path.matches(request.head.path) { return false }
    entry.matched += 1
    guard entry.remaining != 0, entry.rule.share == 1 || generator.next() < entry.rule.share else { return false }
    entry.fired += 1
    return true
  }

  mutating func drawDelay() -> Duration {
    guard let range = entry.rule.delay else { return .zero }
    return range.lowerBound + (range.upperBound - range.lowerBound) * generator.next()
  }
}
