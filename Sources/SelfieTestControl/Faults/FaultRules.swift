import HTTPMessages
import Platform
import SelfieAPI

/// The fault rules of a world, which are tried for each request in the order in which they were added.
///
/// The first rule that fires ends the search, unless it only delays. Then the search goes on, and the delays add up, to
/// at most a minute for one response.
public final class FaultRules: Sendable {
  /// Identifies a rule within its world.
  public typealias ID = Int

  /// Enough for any test. Each request is compared with all rules.
  public static let maxCount = 100

  /// A rule and what it has done.
  public struct Entry: Sendable, Equatable {
    public let id: ID
    public let rule: FaultRule
    /// How many requests had its method and path.
    public internal(set) var matched = 0
    /// For how many of them it fired.
    public internal(set) var fired = 0

    /// How many times it can still fire; nil for no limit.
    public var remaining: Int? { rule.count.map { max(0, $0 - fired) } }
  }

  private struct State {
    var rules: [LiveRule] = []
    var lastID = 0
    /// The delays of responses that are being held back, each with a number of its own.
    var delays: [Int: Task<Void, Never>] = [:]
    var lastDelay = 0
    /// How many times all rules were removed, which ends the delays that began before.
    var clearings = 0
  }

  /// The faults of one request.
  private struct Decision {
    var fault: ID?
    var effect = FaultRule.Effect.none
    var delay = Duration.zero
    let clearings: Int
  }

  private let state = Monitor(State())

  public init() {}

  /// All rules and what they have done.
  public var all: [Entry] { state.withLock { $0.rules.map(\.entry) } }

  /// A rule and what it has done; nil when it does not exist.
  public subscript(id: ID) -> Entry? { all.first { $0.id == id } }

  /// Adds a rule after the others. When there are too many, those that cannot fire any more are removed.
  @discardableResult
  public func add(_ rule: FaultRule) throws(ControlError) -> ID {
    try add([rule])[0]
  }

  /// Adds all of the rules, or none when one is invalid.
  @discardableResult
  public func add(_ rules: [FaultRule]) throws(ControlError) -> [ID] {
    for rule in rules { try rule.check() }
    let ids: [ID]? = state.withLock { state in
      if state.rules.count + rules.count > Self.maxCount { state.rules.removeAll { $0.entry.remaining == 0 } }
      guard state.rules.count + rules.count <= Self.maxCount else { return nil }
      let ids = rules.indices.map { state.lastID + 1 + $0 }
      state.lastID += rules.count
      state.rules += zip(ids, rules).map { LiveRule(id: $0, rule: $1) }
      return ids
    }
    guard let ids else { throw .invalid("There may be \(Self.maxCount) rules at once. Remove some first.") }
    return ids
  }

  /// Removes a rule; false when it does not exist.
  @discardableResult
  public func remove(_ id: ID) -> Bool {
    state.withLock { state in
      let count = state.rules.count
      state.rules.removeAll { $0.entry.id == id }
      return state.rules.count < count
    }
  }

  /// Removes all rules. Responses that they delay are sent now.
  public func removeAll() {
    let delays = state.withLock { state in
      state.rules = []
      state.clearings += 1
      return state.delays.values
    }
    for delay in delays { delay.cancel() }
  }

  // MARK: - Requests

  /// Whether a rule applies to exactly the path of this request.
  func names(_ request: Request) -> Bool {
    state.withLock { $0.rules.contains { $0.names(request) } }
  }

  /// Responds to a request as the rules say.
  ///
  /// - Parameters:
  ///   - errorJSON: makes the body of an error that a rule gives by its message.
  ///   - handle: makes the normal response.
  /// - Returns: the response, and the last rule that fired.
  package func respond(
    to request: Request, errorJSON: (_ status: Int, _ message: String) -> [UInt8] = StatusMessage.json,
    by handle: (Request) async -> Response
  ) async -> (response: Response, fault: ID?) {
    let decision = decide(request)
    let response =
      if let replacement = decision.effect.replacement(errorJSON) {
        replacement
      } else {
        await decision.effect.applied(to: await handle(request))
      }
    if decision.delay > .zero { await wait(decision) }
    return (response, decision.fault)
  }

  private func decide(_ request: Request) -> Decision {
    state.withLock { state in
      var decision = Decision(clearings: state.clearings)
      guard !state.rules.isEmpty else { return decision }
      let mustBeNamed = RouteTable.server.contains(request)
      for index in state.rules.indices {
        if mustBeNamed, !state.rules[index].names(request) { continue }
        guard state.rules[index].fires(for: request) else { continue }
        decision.fault = state.rules[index].entry.id
        decision.delay = min(decision.delay + state.rules[index].drawDelay(), FaultRule.maxPause)
        decision.effect = state.rules[index].entry.rule.effect
        if decision.effect != .none { break }
      }
      return decision
    }
  }

  /// Ends early when the client disconnects or the rules are removed.
  private func wait(_ decision: Decision) async {
    let (number, delay): (Int, Task<Void, Never>?) = state.withLock { state in
      guard state.clearings == decision.clearings else { return (0, nil) }
      let delay = Task<Void, Never> { try? await Task.sleep(for: decision.delay) }
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

/// A rule with the state of its random numbers.
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

  /// Whether it applies to exactly the path of a request.
  func names(_ request: Request) -> Bool {
    guard let path, path.isExact else { return false }
    return path.matches(request.head.path)
  }

  /// Whether the rule fires for a request, which is counted.
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

/// SplitMix64 (Steele, Lea and Flood 2014), which yields the same numbers for the same seed on every machine.
struct SeededGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// A uniform number from 0 to just below 1.
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    // 53 bits are as many as a Double can hold.
    return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
  }
}
