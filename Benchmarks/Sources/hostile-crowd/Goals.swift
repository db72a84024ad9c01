import LoadTesting
import Measuring

/// A bound, and whether it is met.
struct Goal {
  let name: String
  let isMet: Bool
}

/// The goals for a server that withstands a crowd.
enum Goals {
  /// The healthy client's p99, as a multiple of its p99 at a quiet server.
  static let mostSlowdown = 5.0
  /// The share of one core for about a thousand single bytes a second.
  static let mostProcessorShare = 0.1
  /// Additional descriptors, because the database may have opened some.
  static let mostLeftDescriptors = 8
  /// The share of the crowd's memory that the allocator may keep for the next one, and what it may keep in any case.
  static let mostLeftMemory = 0.25
  static let unremarkableMemory = 8 << 20

  static func judge(_ findings: Findings) -> [Goal] {
    // Other work of the machine disturbs one of the two quiet periods more than the other.
    let quiet = [findings.quiet, findings.quietAgain].filter { $0.count > 0 }.map { $0.quantile(0.99) }.min() ?? 0
    var goals = [
      slowdown("with the crowd there", findings.crowded, quiet),
      answers(findings),
    ]
    guard !findings.isQuick else { return goals }
    goals.append(slowdown("while the crowd is cut off", findings.leaving, quiet))
    for attack in Attack.allCases { goals.append(departure(attack, findings.records[attack] ?? [])) }
    goals.append(
      Goal(
        name: "The attackers alone cost less than \(percent(mostProcessorShare)) of a core",
        isMet: findings.processorShare < mostProcessorShare))
    goals.append(
      Goal(
        name: "The descriptors come back, but for \(mostLeftDescriptors)",
        isMet: findings.after.descriptors <= findings.before.descriptors + mostLeftDescriptors))
    let grown = findings.height.residentBytes - findings.before.residentBytes
    let left = findings.after.residentBytes - findings.before.residentBytes
    goals.append(
      Goal(
        name: "The memory comes back, but for \(percent(mostLeftMemory))",
        isMet: left <= max(unremarkableMemory, Int(Double(grown) * mostLeftMemory))))
    return goals
  }

  private static func slowdown(_ when: String, _ latencies: Latencies, _ quiet: Double) -> Goal {
    let factor = latencies.quantile(0.99) / quiet
    return Goal(
      name: "A healthy client's p99 \(when) is \(decimals(factor, 1)) times the quiet one, "
        + "less than \(decimals(mostSlowdown, 0))",
      isMet: factor < mostSlowdown)
  }

  private static func answers(_ findings: Findings) -> Goal {
    let all = [findings.quiet, findings.crowded, findings.leaving, findings.quietAgain]
    return Goal(name: "Every request of the healthy client is answered", isMet: all.allSatisfy { $0.failures == 0 })
  }

  private static func departure(_ attack: Attack, _ records: [Attacker.Record]) -> Goal {
    Goal(
      name: "Every \(attack.rawValue) is gone within \(decimals(attack.allowed, 0)) s",
      isMet: records.count == attack.clients && records.allSatisfy { ($0.gone ?? .infinity) <= attack.allowed })
  }
}
