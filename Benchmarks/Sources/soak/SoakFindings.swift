import LoadTesting
import Measuring

/// The measured values, and whether they are as they should be.
struct SoakFindings {
  /// The healthy client's p99 under attack, as a multiple of its p99 at a quiet server.
  private static let maxSlowdown = 5.0
  /// Additional descriptors, because the database may have opened some.
  private static let maxLeftDescriptors = 8
  /// How far the median of the last third may exceed that of the second: samples vary with the moment they are taken.
  private static let maxGrowth = 1.1
  private static let unremarkableBytes = 16 << 20

  let before: ServerProcess.Sample
  var after: ServerProcess.Sample
  var samples: [ServerProcess.Sample] = []
  var quiet = Latencies()
  var attacked = Latencies()
  var quietAgain = Latencies()
  /// Of the ordinary clients, under attack.
  var visits = 0
  var refusedVisits = 0

  init(before: ServerProcess.Sample) {
    self.before = before
    after = before
  }

  var goals: [(name: String, isMet: Bool)] {
    let slowdown = attacked.quantile(0.99) / min(quiet.quantile(0.99), quietAgain.quantile(0.99))
    let third = samples.count / 3
    let (middle, last) = (median(samples.dropFirst(third).prefix(third)), median(samples.suffix(third)))
    return [
      (
        "The healthy client's p99 is \(decimals(slowdown, 1)) times the quiet one, less than "
          + decimals(Self.maxSlowdown, 0),
        slowdown < Self.maxSlowdown
      ),
      (
        "Ordinary clients are served from sign-in to sign-out: \(visits) times, and \(refusedVisits) times refused",
        visits > 0 && refusedVisits * 20 <= visits
      ),
      (
        "Every request of the healthy client is answered",
        [quiet, attacked, quietAgain].allSatisfy { $0.failures == 0 }
      ),
      (
        "The memory does not grow: \(megabytes(middle)) in the second third, \(megabytes(last)) in the last",
        last <= Int(Double(middle) * Self.maxGrowth) + Self.unremarkableBytes
      ),
      (
        "The descriptors come back, but for \(Self.maxLeftDescriptors)",
        after.descriptors <= before.descriptors + Self.maxLeftDescriptors
      ),
    ]
  }

  var markdown: String {
    let latencies = [("quiet", quiet), ("under attack", attacked), ("quiet again", quietAgain)].map { name, latencies in
      let times = [0.5, 0.99, 1].map { decimals(latencies.quantile($0) * 1000, 2) }
      return "| \(name) | \(latencies.count) | \(latencies.failures) | \(times.joined(separator: " | ")) |"
    }
    let peak = samples.map(\.residentBytes).max() ?? 0
    let lines =
      [
        "| healthy client | requests | failed | p50 ms | p99 ms | max ms |", "|---|---|---|---|---|---|",
      ] + latencies + [
        "", "| server | before | peak | after |", "|---|---|---|---|",
        "| resident | \(megabytes(before.residentBytes)) | \(megabytes(peak)) | \(megabytes(after.residentBytes)) |",
        "| descriptors | \(before.descriptors) | \(samples.map(\.descriptors).max() ?? 0) | \(after.descriptors) |", "",
      ] + goals.map { "- [\($0.isMet ? "x" : " ")] \($0.name)" }
    return lines.joined(separator: "\n")
  }

  private func median(_ samples: some Sequence<ServerProcess.Sample>) -> Int {
    let sorted = samples.map(\.residentBytes).sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  private func megabytes(_ bytes: Int) -> String { "\(decimals(Double(bytes) / 1e6, 1)) MB" }
}
