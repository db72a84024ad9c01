import Platform

/// The date, and time that passes: the system's, or a test's.
public struct RetryClock: Sendable {
  /// Milliseconds since 1970.
  let now: @Sendable () -> Int64
  /// Milliseconds since some moment in the past. It never goes back.
  let uptime: @Sendable () -> Int64
  /// Takes milliseconds. Returns at once if its task is cancelled.
  let sleep: @Sendable (Int64) async -> Void

  public init(
    now: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> Int64,
    sleep: @escaping @Sendable (Int64) async -> Void
  ) {
    self.now = now
    self.uptime = uptime
    self.sleep = sleep
  }

  public static let system = RetryClock(
    now: { unixMilliseconds() }, uptime: { monotonicMilliseconds() },
    sleep: { try? await Task.sleep(for: .milliseconds($0)) })
}
