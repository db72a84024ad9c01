import Foundation
import FoundationNetworking
import TestSupport
import Testing

extension ServerProcess {
  /// Where a server with METRICS has them.
  func metricsAddress() async throws -> String {
    let line = try #require(await errors.first { $0.contains("metrics can be read") })
    return String(try #require(line.firstMatch(of: /http:\/\/[0-9.:]+\/metrics/)).0)
  }

  func metricsText() async throws -> String {
    let url = try #require(URL(string: try await metricsAddress()))
    return String(decoding: try await Loader().load(URLRequest(url: url)).0, as: UTF8.self)
  }

  /// The metrics, once they show what is counted after the last byte of a response.
  func metrics(until isThere: (MetricsText) -> Bool = { _ in true }) async throws -> MetricsText {
    var found = try MetricsText(try await metricsText())
    while !isThere(found) { found = try MetricsText(try await metricsText()) }
    return found
  }
}
