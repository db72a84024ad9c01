import HTTPMessages
import HTTPServer
import Platform

/// The labels of a request, by OpenTelemetry's semantic conventions.
struct RequestLabels: Hashable, Comparable {
  /// What stands for unknown methods there. Here it stands for paths without a route too.
  static let other = "_OTHER"

  let method: String
  let route: String
  /// Nil if the client has gone before there was a response.
  let status: Int?

  init(method: String, route: String, status: Int?) {
    self.method = method
    self.route = route
    self.status = status
  }

  /// - Parameter method: nil if the request line could not be read, as is `route` then.
  init(method: Method?, route: StaticString?, status: Int?) {
    self.method = method.flatMap { $0 == .other ? nil : "\($0)".uppercased() } ?? Self.other
    self.route = route.map { "\($0)" } ?? Self.other
    self.status = status
  }

  static func < (left: RequestLabels, right: RequestLabels) -> Bool {
    (left.route, left.method, left.status ?? 0) < (right.route, right.method, right.status ?? 0)
  }
}

/// Counts requests with the same labels.
final class SeriesCounters: Sendable {
  fileprivate let durations = Histogram(bounds: DurationBounds.requests)
  fileprivate let received = Histogram(bounds: SizeBounds.messages)
  fileprivate let sent = Histogram(bounds: SizeBounds.messages)

  func count(_ request: RequestRecord) {
    durations.observe(request.nanoseconds)
    received.observe(request.bytesReceived)
    sent.observe(request.bytesSent)
  }
}

/// How many requests with the same labels there were, how long they took and how large they were.
struct RequestSeries: Sendable {
  let labels: RequestLabels
  private(set) var durations = Histogram.Reading(bounds: DurationBounds.requests)
  /// In bytes, with their heads.
  private(set) var received = Histogram.Reading(bounds: SizeBounds.messages)
  private(set) var sent = Histogram.Reading(bounds: SizeBounds.messages)

  init(_ labels: RequestLabels) {
    self.labels = labels
  }

  mutating func add(_ counters: SeriesCounters) {
    durations.add(counters.durations.reading)
    received.add(counters.received.reading)
    sent.add(counters.sent.reading)
  }

  /// - Parameter series: sorted by route, then by method.
  static func mergingStatuses(of series: [RequestSeries]) -> [RequestSeries] {
    series.reduce(into: []) { merged, series in
      let labels = RequestLabels(method: series.labels.method, route: series.labels.route, status: nil)
      if merged.last?.labels != labels { merged.append(RequestSeries(labels)) }
      merged[merged.count - 1].add(series)
    }
  }

  private mutating func add(_ other: RequestSeries) {
    durations.add(other.durations)
    received.add(other.received)
    sent.add(other.sent)
  }
}

/// In bytes: from a request without a body to the largest photo of the default settings.
private enum SizeBounds {
  static let messages: [Int64] = (4...13).map { 1 << (2 * $0) }
}
