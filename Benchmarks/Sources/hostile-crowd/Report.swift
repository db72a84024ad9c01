import LoadTesting
import Measuring

/// The findings as Markdown.
enum Report {
  static func markdown(_ findings: Findings, _ goals: [Goal]) -> String {
    var lines = latencies(findings)
    if !findings.isQuick { lines += [""] + departures(findings.records) + [""] + server(findings) }
    lines += [""] + goals.map { "- [\($0.isMet ? "x" : " ")] \($0.name)" }
    return lines.joined(separator: "\n")
  }

  private static func latencies(_ findings: Findings) -> [String] {
    var rows = [("quiet", findings.quiet), ("with the crowd", findings.crowded)]
    if !findings.isQuick { rows += [("crowd is cut off", findings.leaving), ("quiet again", findings.quietAgain)] }
    return ["| healthy client | requests | p50 ms | p99 ms | most ms |", "|---|---|---|---|---|"]
      + rows.map { name, latencies in
        let times = [0.5, 0.99, 1].map { decimals(latencies.quantile($0) * 1000, 2) }
        return "| \(name) | \(latencies.count) | \(times.joined(separator: " | ")) |"
      }
  }

  private static func departures(_ records: [Attack: [Attacker.Record]]) -> [String] {
    [
      "| attackers | | cut off, s: least / median / most | gone, s | allowed |", "|---|---|---|---|---|",
    ]
      + Attack.allCases.map { attack in
        let records = records[attack] ?? []
        let (cutOff, gone) = (spread(records.map(\.cutOff)), spread(records.map(\.gone)))
        return "| \(attack.rawValue) | \(records.count) | \(cutOff) | \(gone) | \(decimals(attack.allowed, 0)) |"
      }
  }

  private static func spread(_ times: [Double?]) -> String {
    let sorted = times.compactMap(\.self).sorted()
    guard let least = sorted.first, let most = sorted.last else { return "never" }
    let text = [least, sorted[sorted.count / 2], most].map { decimals($0, 1) }.joined(separator: " / ")
    return sorted.count == times.count ? text : "\(text), \(times.count - sorted.count) never"
  }

  private static func server(_ findings: Findings) -> [String] {
    let samples = [findings.before, findings.height, findings.after]
    return [
      "| server | before | with the crowd | after |",
      "|---|---|---|---|",
      "| descriptors | " + samples.map { "\($0.descriptors)" }.joined(separator: " | ") + " |",
      "| resident MB | "
        + samples.map { decimals(Double($0.residentBytes) / 1e6, 1) }.joined(separator: " | ") + " |",
      "| of a core, attackers only | | \(percent(findings.processorShare)) | |",
    ]
  }
}

func percent(_ share: Double) -> String { "\(decimals(share * 100, 1)) %" }
