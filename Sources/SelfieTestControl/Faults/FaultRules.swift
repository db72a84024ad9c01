import HTTPMessages
import Platform
import SelfieAPI
package import SelfieTestDocuments

/// The fault rules of a world, which are tried for each request in the order in which they were added.
/// FaultResponses.swift makes the faulty responses.
///
/// The first rule that fires ends the search, unless it only delays. Then the search goes on, and the delays add up, to
/// at most a minute for one response.
package final class FaultRules: Sendable {
  /// Enough for any test. Each request is compared with all rules.
  package static let maxCount = 100

  private struct Entry {
    /// The rule and what it has done.
    var listed: ListedFault
    private let path: PathPattern?
    private var generator: SeededGenerator

    init(id: Int, rule: FaultRule) {
      listed = ListedFault(rule, FaultProgress(id: id, remaining: rule.count))
      path = rule.path.map(PathPattern.init)
      generator = SeededGenerator(seed: rule.seed ?? 0)
    }

    /// Whether it applies to exactly the path of a request.
    func names(_ request: Request) -> Bool {
      path.map { $0.isExact && $0.matches(request.head.path) } ?? false
    }

    /// Whether the rule fires for a request, which is counted.
    mutating func fires(for request: Request) -> Bool {
      if let method = listed.method, Method(method) != request.head.method { return false }
      if let path, !path.matches(request.head.path) { return false }
      listed.second.matched += 1
      let share = listed.share ?? 1
      guard listed.remaining != 0, listed.matched > listed.skip ?? 0, share == 1 || generator.next() < share else {
        return false
      }
      listed.second.fired += 1
      listed.second.remaining? -= 1
      return true
    }

    mutating func drawDelay() -> Duration {
      guard let delay = listed.delay else { return .zero }
      let (from, to) = (delay.from.milliseconds, delay.to.milliseconds)
      return .milliseconds(from) + .milliseconds(to - from) * generator.next()
    }
  }

  private struct State {
    var rules: [Entry] = []
    var lastID = 0
    /// How many times all rules were removed, which ends the delays that began before.
    var clearings = 0
    /// The delays of responses that are being held back.
    var delays: Set<Task<Void, Never>> = []
  }

  private let state = Monitor(State())

  package init() {}

  /// All rules and what they have done.
  package var all: [ListedFault] { state.withLock { $0.rules.map(\.listed) } }

  /// Adds all of the rules after the others, or none when one is invalid. When there are too many, those that cannot fire
  /// any more are removed.
  ///
  /// - Parameter place: where a rule stands in its document, by its index; nil if the rule is the whole document.
  /// - Throws: `ControlError` with everything that is wrong.
  @discardableResult
  package func add(_ rules: [FaultRule], at place: (Int) -> String? = { _ in nil }) throws(ControlError) -> [Int] {
    var problems = Problems()
    for (index, rule) in rules.enumerated() { rule.validate(at: place(index), &problems) }
    try problems.check()
    return try state.withLock { (state) throws(ControlError) in
      if state.rules.count + rules.count > Self.maxCount { state.rules.removeAll { $0.listed.remaining == 0 } }
      guard state.rules.count + rules.count <= Self.maxCount else {
        throw .invalid("There can be at most \(Self.maxCount) rules at a time. Remove some first.")
      }
      let ids = rules.indices.map { state.lastID + 1 + $0 }
      state.lastID += rules.count
      state.rules += zip(ids, rules).map { Entry(id: $0, rule: $1) }
      return ids
    }
  }

  /// Removes a rule; false when it does not exist.
  @discardableResult
  package func remove(_ id: Int) -> Bool {
    state.withLock { state in
      state.rules.firstIndex { $0.listed.id == id }.map { state.rules.remove(at: $0) } != nil
    }
  }

  /// Removes all rules. Responses that they delay are sent now.
  package func removeAll() {
    let delays = state.withLock { state in
      state.rules = []
      state.clearings += 1
      return state.delays
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
  func respond(
    to request: Request, errorJSON: (_ status: Int, _ message: String) -> [UInt8] = StatusMessage.json,
    by handle: (Request) async -> Response
  ) async -> (response: FaultyResponse, fault: Int?) {
    var (fault, effect, delay): (Int?, FaultRule?, Duration) = (nil, nil, .zero)
    var read: FaultRule.Drip?
    let clearings = state.withLock { state in
      let mustBeNamed = !state.rules.isEmpty && RouteTable.server.contains(request)
      for index in state.rules.indices {
        if mustBeNamed, !state.rules[index].names(request) { continue }
        guard state.rules[index].fires(for: request) else { continue }
        let rule = state.rules[index].listed
        fault = rule.id
        delay = min(delay + state.rules[index].drawDelay(), .milliseconds(FaultRule.maxPause.milliseconds))
        read = rule.read ?? read
        guard rule.onlyDelays else {
          effect = rule.first
          break
        }
      }
      return state.clearings
    }
    let pause = { @Sendable [self] (time: Duration) in await wait(for: time, unlessClearedSince: clearings) }
    let request = read.map { request.reading(in: $0, pause: pause) } ?? request
    var response: FaultyResponse
    if let replacement = effect?.replacement(errorJSON) {
      response = replacement
    } else {
      let normal = await handle(request)
      response = (normal, normal)
      if let effect {
        response = await effect.applied(to: normal, isHead: request.head.method == .head, pause: pause)
      }
    }
    if delay > .zero { await pause(delay) }
    return (response, fault)
  }

  /// Ends early when the client disconnects or the rules are removed.
  private func wait(for delay: Duration, unlessClearedSince clearings: Int) async {
    let delay = Task<Void, Never> { try? await Task.sleep(for: delay) }
    guard state.withLock({ $0.clearings == clearings && $0.delays.insert(delay).inserted }) else {
      return delay.cancel()
    }
    await withTaskCancellationHandler {
      await delay.value
    } onCancel: {
      delay.cancel()
    }
    state.withLock { _ = $0.delays.remove(delay) }
  }
}

/// SplitMix64 (Steele, Lea and Flood 2014), which yields the same numbers for the same seed on every machine.
struct SeededGenerator: Equatable {
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
