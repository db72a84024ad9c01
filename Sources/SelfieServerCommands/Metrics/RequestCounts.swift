import HTTPMessages
import HTTPServer
import Platform
import Synchronization

/// Counts requests, for each event loop apart, so that no loop waits for another.
///
/// The number of series is bounded: routes are literals of the program, and of methods only the known ones are told apart.
final class RequestCounts: Sendable {
  /// Only its loop and the readers of the metrics lock it.
  private final class LoopCounts: Sendable {
    let series = Mutex<[RequestKind: RequestSeries]>([:])
  }

  private let ofThread = ThreadLocal<LoopCounts>()
  private let loops = Mutex<[LoopCounts]>([])

  /// Must be called on the thread of the request's event loop.
  func count(_ request: RequestRecord) {
    let counts = ofThread.value ?? addLoop()
    counts.series.withLock { $0[RequestKind(request), default: RequestSeries()].count(request) }
  }

  /// Of all loops together.
  var series: [RequestLabels: RequestSeries] {
    var merged: [RequestLabels: RequestSeries] = [:]
    for loop in loops.withLock({ $0 }) {
      for (kind, series) in loop.series.withLock({ $0 }) {
        merged[RequestLabels(kind), default: RequestSeries()].add(series)
      }
    }
    return merged
  }

  private func addLoop() -> LoopCounts {
    let counts = LoopCounts()
    ofThread.value = counts
    loops.withLock { $0.append(counts) }
    return counts
  }
}

/// How many requests of a kind there were, how long they took and how large they were.
struct RequestSeries: Sendable {
  /// In bytes: from a request without a body to the largest photo of the default settings.
  private static let sizes: [Int64] = (4...13).map { 1 << (2 * $0) }

  private(set) var durations = Histogram.Reading(bounds: DurationBounds.requests)
  /// In bytes, with their heads.
  private(set) var received = Histogram.Reading(bounds: sizes)
  private(set) var sent = Histogram.Reading(bounds: sizes)

  mutating func count(_ request: RequestRecord) {
    durations.observe(request.nanoseconds)
    received.observe(request.bytesReceived)
    sent.observe(request.bytesSent)
  }

  mutating func add(_ other: RequestSeries) {
    durations.add(other.durations)
    received.add(other.received)
    sent.add(other.sent)
  }
}

/// What requests that are counted together have in common.
struct RequestKind: Hashable {
  /// Nil if the request line could not be read, as is `route` then.
  let method: Method?
  let route: StaticString?
  let status: Int?

  init(_ request: RequestRecord) {
    method = request.method
    route = request.facts.route
    status = request.status?.code
  }

  static func == (left: RequestKind, right: RequestKind) -> Bool {
    left.method == right.method && left.address == right.address && left.status == right.status
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(method)
    hasher.combine(address)
    hasher.combine(status)
  }

  /// Of a route's text, which is quicker to compare than the text.
  private var address: UnsafePointer<UInt8>? {
    route.flatMap { $0.hasPointerRepresentation ? $0.utf8Start : nil }
  }
}

/// The labels of a kind of requests, by OpenTelemetry's semantic conventions.
struct RequestLabels: Hashable, Comparable {
  /// What stands for unknown methods there. Here it stands for paths without a route too.
  private static let other = "_OTHER"

  let method: String
  let route: String
  /// Nil if the client has gone before there was a response.
  var status: Int?

  init(_ kind: RequestKind) {
    method = kind.method.flatMap { $0 == .other ? nil : "\($0)".uppercased() } ?? Self.other
    route = kind.route.map { "\($0)" } ?? Self.other
    status = kind.status
  }

  var labels: [Label] {
    [Label("http_request_method", method), Label("http_route", route)]
      + (status.map { [Label("http_response_status_code", "\($0)")] } ?? [])
  }

  static func < (left: RequestLabels, right: RequestLabels) -> Bool {
    (left.route, left.method, left.status ?? 0) < (right.route, right.method, right.status ?? 0)
  }
}
