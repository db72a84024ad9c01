import TestSupport
import Testing

extension ServerProcess {
  /// Where a server with METRICS has them.
  func metricsOrigin() async throws -> String {
    let line = try await logged("metrics can be read")
    return String(try #require(line.firstMatch(of: /(http:\/\/[0-9.:]+)\/metrics/)).1)
  }

  /// The metrics, once they show what is counted after the last byte of a response.
  func metrics(until isThere: (MetricsText) throws -> Bool = { _ in true }) async throws -> MetricsText {
    let origin = try await metricsOrigin()
    var last: MetricsText?
    try await waitUntil {
      let metrics = try await MetricsText(RawClient.response(to: AppRequest("GET", "/metrics"), at: origin).text)
      last = metrics
      return try isThere(metrics)
    }
    return try #require(last)
  }
}
