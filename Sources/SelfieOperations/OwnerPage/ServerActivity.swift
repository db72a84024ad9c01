import HTTPMessages
import Platform
import SelfieAPI

/// What the server has done lately, for its owner. All of it is bounded, and none of it outlives the server.
final class ServerActivity: Sendable {
  struct Sample: Equatable {
    /// Unix seconds.
    let time: Int64
    let users: Int64
    let photos: Int64
    let bytes: Int64
    let refusedSignIns: Int64
  }

  struct ServerError {
    /// Unix milliseconds.
    let time: Int64
    /// Nil if the request could not be read, and so is the path.
    let method: String?
    let path: String?
    let status: Int
    let requestID: String?
  }

  /// A day, with a sample a minute.
  static let maxSamples = 1440
  static let maxErrors = 50
  private static let maxPathLength = 100
  /// The seconds over which requests are counted.
  static let window: Int64 = 60

  private let history = Monitor<[Sample]>([])
  private let errors = Monitor<[ServerError]>([])
  private let requests = Monitor(RecentTimes(seconds: window))

  var samples: [Sample] { history.withLock { $0 } }

  func add(_ sample: Sample) {
    history.withLock { samples in
      if samples.count >= Self.maxSamples { samples.removeFirst() }
      samples.append(sample)
    }
  }

  /// The newest first.
  var lastErrors: [ServerError] { errors.withLock { $0.reversed() } }

  func note(_ response: Response, to head: RequestHead?, at time: Int64) {
    let error = ServerError(
      time: time, method: head.map { String(decoding: $0.methodName.prefix(10), as: UTF8.self) },
      path: head.map(Self.shownPath), status: response.status.code, requestID: response.fields["X-Request-Id"])
    errors.withLock { errors in
      if errors.count >= Self.maxErrors { errors.removeFirst() }
      errors.append(error)
    }
  }

  /// The path without secrets: no query, and no ids of photos.
  private static func shownPath(_ head: RequestHead) -> String {
    let path = head.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { $0.count < Photo.idLength ? String(decoding: $0, as: UTF8.self) : "…" }
    return String(path.joined(separator: "/").prefix(maxPathLength))
  }

  func start() -> Int64 { monotonicNanoseconds() }

  func count(since start: Int64) {
    let now = monotonicNanoseconds()
    requests.withLock { $0.add(microseconds: (now - start) / 1000, at: now / 1_000_000_000) }
  }

  var lastMinute: RecentTimes.Summary {
    requests.withLock { $0.summary(at: monotonicNanoseconds() / 1_000_000_000) }
  }
}
