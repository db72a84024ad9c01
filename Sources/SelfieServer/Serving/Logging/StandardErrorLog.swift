import Logging
import Platform

/// Gives the events of swift-log to a `LogWriter`, which writes them to standard error. `LogLine` has their format.
struct StandardErrorLog: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  let writer: LogWriter

  /// - Parameter writer: one that writes each line as it comes, for a command, if nil.
  static func logger(_ settings: Settings, _ writer: LogWriter? = nil) -> Logger {
    let log = StandardErrorLog(logLevel: settings.logLevel, writer: writer ?? LogWriter(settings.logFormat))
    return Logger(label: "selfie-server") { _ in log }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
    var line = LogLine(writer.format, level: event.level.rawValue, message: "\(event.message)")
    for (name, value) in all { line.field(text: name, value) }
    line.end()
    writer.write(line)
  }
}
