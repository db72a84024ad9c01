/// Bounds of histograms of durations, in nanoseconds.
package enum DurationBounds {
  /// What OpenTelemetry's semantic conventions advise for requests: 5 ms to 10 s.
  package static let requests: [Int64] = milliseconds([
    5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000,
  ])

  /// For what a disk does: 0.1 ms, as on a fast one, to 10 s, as on a failing one.
  package static let disk: [Int64] =
    [100_000, 250_000, 500_000] + milliseconds([1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000])

  private static func milliseconds(_ bounds: [Double]) -> [Int64] { bounds.map { Int64($0 * 1_000_000) } }
}
