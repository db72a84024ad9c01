import Logging
import SQLite

extension Upgrade {
  /// Says so if a database that held data was upgraded.
  func log(to logger: Logger) {
    guard let copy else { return }
    logger.notice(
      "the database was brought up to date, and copied before",
      metadata: ["migrations": "\(steps.joined(separator: " "))", "copy": "\(copy)"])
  }
}
