import Foundation
import FoundationNetworking
import Testing

extension ServerProcess {
  /// Where a server with METRICS has them.
  func metricsAddress() async throws -> String {
    let line = try await logged("metrics can be read")
    return String(try #require(line.firstMatch(of: /http:\/\/[0-9.:]+\/metrics/)).0)
  }

  /// The metrics, once they show what is counted after the last byte of a response.
  func metrics(until isThere: (MetricsText) throws -> Bool = { _ in true }) async throws -> MetricsText {
    let request = try URLRequest("GET", try await metricsAddress())
    while true {
      let metrics = try MetricsText(String(decoding: try await Loader().load(request).0, as: UTF8.self))
      if try isThere(metrics) { return metrics }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
