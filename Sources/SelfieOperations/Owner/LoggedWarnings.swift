import HTTPMessages
import Platform

/// The last warnings and errors of the server's log, for its owner.
public final class LoggedWarnings: Sendable {
  struct Warning: Encodable {
    let time: String
    let level: String
    let message: String
    let details: String
  }

  private static let maxCount = 50

  private let state = Monitor<[Warning]>([])

  public init() {}

  /// The newest first.
  var last: [Warning] { state.withLock { $0 } }

  /// - Parameter time: in Unix milliseconds.
  public func add(level: String, message: String, details: String, at time: Int64) {
    let warning = Warning(
      time: Timestamp.text(unixMilliseconds: time), level: level, message: message, details: details)
    state.withLock { $0 = [warning] + $0.prefix(Self.maxCount - 1) }
  }
}
