import HTTPMessages
import HTTPServer
import Platform

/// Counts requests, for each event loop apart, so that no loop waits for another. `ServerStatistics` in HTTPServer
/// counts connections and bytes.
///
/// The number of series is bounded: routes are literals of the program, and of methods only the known ones are told apart.
final class RequestCounts: Sendable {
  /// The key under which requests are counted together. The address of a route's text is quicker to compare than the
  /// text.
  private struct Kind: Hashable {
    let method: Method?
    let route: UInt?
    let status: Int?

    /// A method would be hashed by its text, and few kinds have the same route.
    func hash(into hasher: inout Hasher) { hasher.combine(route) }
  }

  /// Only its loop and the readers of the metrics lock it.
  private typealias LoopCounts = Monitor<[Kind: RequestSeries]>

  private let ofThread = ThreadLocal<LoopCounts>()
  private let loops = Monitor<[LoopCounts]>([])

  /// Must be called on the thread of the request's event loop.
  func count(_ request: RequestRecord) {
    let counts = ofThread.value ?? addLoop()
    let route = request.facts.route.flatMap { $0.hasPointerRepresentation ? UInt(bitPattern: $0.utf8Start) : nil }
    let kind = Kind(method: request.method, route: route, status: request.status?.code)
    counts.withLock { $0[kind, default: RequestSeries(labels: RequestLabels(request))].count(request) }
  }

  /// Of all loops together, in the order of their labels.
  var series: [RequestSeries] {
    let all = loops.withLock { $0 }.flatMap { loop in loop.withLock { Array($0.values) } }
    return RequestSeries.merged(all.sorted { $0.labels < $1.labels })
  }

  private func addLoop() -> LoopCounts {
    let counts = LoopCounts([:])
    ofThread.value = counts
    loops.withLock { $0.append(counts) }
    return counts
  }
}

/// How many requests with the same labels there were, how long they took and how large they were.
struct RequestSeries: Sendable {
  /// In bytes: from a request without a body to the largest photo of the default settings.
  private static let sizes: [Int64] = (4...13).map { 1 << (2 * $0) }

  private(set) var labels: RequestLabels
  private(set) var durations = Histogram.Reading(bounds: Histogram.requestBounds)
  /// In bytes, with their heads.
  private(set) var received = Histogram.Reading(bounds: sizes)
  private(set) var sent = Histogram.Reading(bounds: sizes)

  init(labels: RequestLabels) { self.labels = labels }

  /// This series without regard to the status of the responses.
  var ofRoute: RequestSeries {
    var series = self
    series.labels.status = nil
    return series
  }

  mutating func count(_ request: RequestRecord) {
    durations.observe(request.nanoseconds)
    received.observe(request.bytesReceived)
    sent.observe(request.bytesSent)
  }

  /// Adds up neighbors that have the same labels.
  static func merged(_ series: [RequestSeries]) -> [RequestSeries] {
    series.reduce(into: []) { merged, series in
      guard let last = merged.indices.last, merged[last].labels == series.labels else { return merged.append(series) }
      merged[last].durations.add(series.durations)
      merged[last].received.add(series.received)
      merged[last].sent.add(series.sent)
    }
  }
}

/// The labels of a kind of requests, by OpenTelemetry's semantic conventions.
struct RequestLabels: Equatable, Comparable, Sendable {
  let method: String
  let route: String
  /// Nil if the client closed the connection before there was a response.
  var status: Int?

  init(_ request: RequestRecord) {
    // The value for unknown methods there. Here it is also that of paths without a route.
    let other = "_OTHER"
    method = request.method.flatMap { $0 == .other ? nil : "\($0)".uppercased() } ?? other
    route = request.facts.route.map { "\($0)" } ?? other
    status = request.status?.code
  }

  var all: [MetricLabel] {
    [MetricLabel("http_request_method", method), MetricLabel("http_route", route)]
      + (status.map { [MetricLabel("http_response_status_code", "\($0)")] } ?? [])
  }

  static func < (left: RequestLabels, right: RequestLabels) -> Bool {
    (left.route, left.method, left.status ?? 0) < (right.route, right.method, right.status ?? 0)
  }
}
