import HTTPMessages
import HTTPServer
import Platform
import Synchronization

/// Counts requests, for each event loop apart, so that no loop waits for another or for a reader.
///
/// The number of series is bounded: routes are literals of the program, and of methods only the known ones are told apart.
final class RequestCounts: Sendable {
  private let ofThread = ThreadLocal<LoopCounts>()
  private let loops = Mutex<[SeriesList]>([])

  /// Must be called on the thread of the request's event loop.
  func count(_ request: RequestRecord) {
    let counts = ofThread.value ?? addLoop()
    counts.series(of: SeriesKey(request)).count(request)
  }

  /// Of all loops together, in the order of routes, methods and status codes.
  var series: [RequestSeries] {
    var merged: [RequestLabels: RequestSeries] = [:]
    for list in loops.withLock({ $0 }) {
      for (labels, counters) in list.all {
        merged[labels, default: RequestSeries(labels)].add(counters)
      }
    }
    return merged.values.sorted { $0.labels < $1.labels }
  }

  private func addLoop() -> LoopCounts {
    let counts = LoopCounts()
    ofThread.value = counts
    loops.withLock { $0.append(counts.list) }
    return counts
  }
}

/// The requests of one event loop. Only its thread uses this.
private final class LoopCounts {
  private var series: [SeriesKey: SeriesCounters] = [:]
  let list = SeriesList()

  func series(of key: SeriesKey) -> SeriesCounters {
    if let known = series[key] { return known }
    let new = SeriesCounters()
    series[key] = new
    list.append(RequestLabels(method: key.method, route: key.route, status: key.status), new)
    return new
  }
}

/// The series of one event loop, for readers. The loop's thread locks it only for the first request of a kind.
private final class SeriesList: Sendable {
  private let series = Mutex<[(RequestLabels, SeriesCounters)]>([])

  var all: [(RequestLabels, SeriesCounters)] { series.withLock { $0 } }

  func append(_ labels: RequestLabels, _ counters: SeriesCounters) {
    series.withLock { $0.append((labels, counters)) }
  }
}

/// What requests that are counted together have in common.
private struct SeriesKey: Hashable {
  let method: Method?
  let route: StaticString?
  let status: Int?

  init(_ request: RequestRecord) {
    method = request.method
    route = request.facts.route
    status = request.status?.code
  }

  static func == (left: SeriesKey, right: SeriesKey) -> Bool {
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
