import Platform

/// All clients, each of which has a thread of its own while it does something.
struct Crowd {
  private let visitors: [Visitor]

  init(count: Int, seed: UInt64, maxAccounts: Int = 4) {
    // Two trials of one seed may use one storage: names must differ.
    visitors = (0..<count).map {
      Visitor(name: "u\($0)", seed: seed &+ UInt64($0) &* 7919, maxAccounts: maxAccounts)
    }
  }

  var tally: Tally {
    var sum = Tally()
    for visitor in visitors { sum.add(visitor.tally) }
    return sum
  }

  /// How many writes were refused so far.
  var refusals: Int { tally.refused.values.reduce(0, +) }

  func verify(_ port: Int, wasRestarted: Bool, all: Bool = false, maxRetries: Int = 0) throws {
    try inParallel { $0.verify(port: port, wasRestarted: wasRestarted, all: all, maxRetries: maxRetries) }
  }

  /// Lets each visitor do something, and meanwhile does `work`.
  func inParallel(_ visit: @escaping @Sendable (Visitor) -> Void, while work: () throws -> Void = {}) throws {
    let threads = try visitors.map { visitor in try Platform.Thread(named: "visitor") { visit(visitor) } }
    let result = Result { try work() }
    for thread in threads { thread.join() }
    try result.get()
    for visitor in visitors { if let violation = visitor.violation { throw violation } }
  }
}
