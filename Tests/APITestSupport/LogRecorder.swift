import Logging
import Platform

/// Keeps what is logged, one line for each event.
package final class LogRecorder: Sendable {
  private let recorded = Monitor<[String]>([])

  package init() {}

  package var lines: [String] { recorded.withLock { $0 } }

  package var logger: Logger {
    var logger = Logger(label: "test") { _ in Handler(recorder: self) }
    logger.logLevel = .trace
    return logger
  }

  private struct Handler: LogHandler {
    let recorder: LogRecorder
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let line = "\(event.level) \(event.message) \(event.metadata ?? [:])"
      recorder.recorded.withLock { $0.append(line) }
    }
  }
}
