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
      listed = ListedFault(rule, id: id)
      path = rule.path.map(PathPattern.init)
      generator = SeededGenerator(seed: rule.seed ?? 0)
    }

    /// Whether it applies to exactly the path of a request.
    func names(_ request: Request) -> Bool {
      path.map { $0.isExact && $0.matches(request.head.path) } ?? false
    }

    private func isFor(_ request: Request) -> Bool {
      listed.rule.method.map { Method($0) == request.head.method } ?? true
        && path?.matches(request.head.path) ?? true
    }

    /// Whether parameters of a request's body decide whether the rule fires for it.
    func asksForBody(of request: Request) -> Bool {
      listed.remaining != 0 && listed.rule.condition?.parameters.isEmpty == false && isFor(request)
    }

    /// Whether the rule fires for a request, which is counted.
    ///
    /// - Parameter exchange: the request as it is recorded.
    mutating func fires(for request: Request, as exchange: Exchange) -> Bool {
      guard isFor(request), listed.rule.condition?.isMet(by: exchange) ?? true else { return false }
      listed.matched += 1
      let share = listed.rule.share ?? 1
      guard listed.remaining != 0, listed.matched > listed.rule.skip ?? 0, share == 1 || generator.next() < share else {
        return false
      }
      listed.fired += 1
      listed.remaining? -= 1
      return true
    }

    mutating func drawDelay() -> Duration {
      guard let delay = listed.rule.delay else { return .zero }
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

  /// Whether parameters of the request's body decide which rules fire for it.
  func askForBody(of request: Request) -> Bool {
    !request.body.isEmpty && state.withLock { $0.rules.contains { $0.asksForBody(of: request) } }
  }

  /// Responds to a request as the rules say.
  ///
  /// - Parameters:
  ///   - exchange: the request as it is recorded, with the parameters of its body if rules ask for them.
  ///   - errorJSON: makes the body of an error that a rule gives by its message.
  ///   - handle: makes the normal response.
  func respond(
    to request: Request, as exchange: Exchange = Exchange(),
    errorJSON: (_ status: Int, _ message: String) -> [UInt8] = StatusMessage.json,
    by handle: (Request) async -> Response
  ) async -> FaultyResponse {
    let fault = draw(for: request, as: exchange)
    let pause = { @Sendable [self] (time: Duration) in await wait(for: time, unlessClearedSince: fault.clearings) }
    let request = fault.read.map { request.reading(in: $0, pause: pause) } ?? request
    var response: FaultyResponse
    if let replacement = fault.effect?.replacement(errorJSON) {
      response = replacement
    } else {
      let normal = await handle(request)
      response = FaultyResponse(normal)
      if let effect = fault.effect {
        response = await effect.applied(to: normal, isHead: request.head.method == .head, pause: pause)
      }
    }
    if fault.delay > .zero { await pause(fault.delay) }
    response.rule = fault.rule
    return response
  }

  /// What goes wrong with one request.
  private struct Drawn {
    /// The last rule that fired; nil if none did.
    var rule: Int?
    var effect: FaultRule.Effect?
    var delay = Duration.zero
    var read: FaultRule.Drip?
    /// How many times all rules had been removed.
    var clearings = 0
  }

  /// Finds the rules that fire for a request, which is counted.
  private func draw(for request: Request, as exchange: Exchange) -> Drawn {
    state.withLock { state in
      var drawn = Drawn(clearings: state.clearings)
      let mustBeNamed = !state.rules.isEmpty && RouteTable.server.contains(request)
      for index in state.rules.indices {
        if mustBeNamed, !state.rules[index].names(request) { continue }
        guard state.rules[index].fires(for: request, as: exchange) else { continue }
        let listed = state.rules[index].listed
        drawn.rule = listed.id
        drawn.delay = min(
          drawn.delay + state.rules[index].drawDelay(), .milliseconds(FaultRule.maxPause.milliseconds))
        drawn.read = listed.rule.read ?? drawn.read
        if let effect = listed.rule.effect {
          drawn.effect = effect
          break
        }
      }
      return drawn
    }
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
