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
    let write = format == .json ? LogLine.json : LogLine.text
    let line = write(timestamp, event.level.rawValue, "\(event.message)", all.map { ($0.key, "\($0.value)") })
    _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private var timestamp: String { LogLine.timestamp(unixMilliseconds: unixMilliseconds()) }
}
