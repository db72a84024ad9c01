import Glibc
import HTTPMessages
import Logging
import Platform
import SelfieAPI

/// Writes log lines to standard error, as text or as JSON. Each takes one system call, so that lines never mix.
struct StandardErrorLog: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  let format: Settings.LogFormat

  static func logger(_ settings: Settings) -> Logger {
    Logger(label: "selfie-server") { _ in StandardErrorLog(logLevel: settings.logLevel, format: settings.logFormat) }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
    let line =
      switch format {
      case .text: text(event, all.map { ($0.key, "\($0.value)") })
      case .json: json(event, all.map { ($0.key, "\($0.value)") })
      }
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private func text(_ event: LogEvent, _ metadata: [(String, String)]) -> [UInt8] {
    let pairs = metadata.map { " \($0)=\($1)" }.joined()
    let line = "\(timestamp) \(event.level.rawValue) \(event.message)\(pairs)"
    // A control character that a client sent must not begin a new line.
    return line.utf8.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: " ") : $0 } + [UInt8(ascii: "\n")]
  }

  private func json(_ event: LogEvent, _ metadata: [(String, String)]) -> [UInt8] {
    LogLine.json(time: timestamp, level: event.level.rawValue, message: "\(event.message)", metadata: metadata)
  }

  private var timestamp: String { LogLine.timestamp(unixMilliseconds: unixMilliseconds()) }
}
