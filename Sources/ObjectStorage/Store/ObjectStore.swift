import Cryptography
import HTTPMessages
package import Platform

/// The objects of a bucket. `BucketObjects` in Cluster knows which object is which photo.
///
/// Requests run on threads of their own, and are sent again if that may help. All of them can be: an object's content
/// never changes, and to put or delete it twice does no harm. One whose task is cancelled is not sent, or not again.
package final class ObjectStore: Sendable {
  /// The memory that one request for content may hold. Long objects are read in pieces of this size.
  package static let maxPieceBytes = BodyStream.maxPieceBytes
  /// Some stores describe a success, too.
  private static let maxResponseBytes = 64 * 1024

  private let settings: ObjectStoreSettings
  private let client: HTTPClient
  private let pool: WorkerPool
  private let clock: RetryClock
  private let random: RandomSource
  private let counts = Monitor(
    (
      retries: 0,
      requests: ([.get, .head, .put, .delete] as [Method]).map { method in
        ClientStatistics.Requests(
          method: "\(method.name)", durations: Histogram.Reading(bounds: Histogram.requestBounds))
      }
    ))

  /// - Parameters:
  ///   - threads: how many requests there are at once.
  ///   - waiting: how many more may wait.
  init(
    _ settings: ObjectStoreSettings, timeouts: ClientTimeouts, threads: Int, waiting: Int = 1_000,
    clock: RetryClock = RetryClock(), random: RandomSource = .system
  ) {
    self.settings = settings
    self.clock = clock
    self.random = random
    client = HTTPClient(timeouts: timeouts, maxIdle: threads)
    pool = WorkerPool(name: "object-store", threads: threads, waiting: waiting)
  }

  package convenience init(_ settings: ObjectStoreSettings, threads: Int = 16) {
    self.init(settings, timeouts: ClientTimeouts(), threads: threads)
  }

  deinit {
    // A request that is under way refers to the store, so the threads have nothing to do and end at once.
    shutDown()
  }

  /// Waits for the requests that are under way, and closes the connections. Blocks meanwhile.
  package func shutDown() {
    pool.shutDown()
    client.closeIdleConnections()
  }

  package var statistics: ClientStatistics {
    let (retries, requests) = counts.withLock { $0 }
    return ClientStatistics(requests: requests, retries: retries, pool: pool.statistics)
  }

  /// The milliseconds that it may take to store so many bytes, with all attempts.
  package static func maxMilliseconds(toPut byteCount: Int64) -> Int64 {
    maxElapsed + ClientTimeouts().whole(forBytes: byteCount)
  }

  // MARK: - Requests

  /// Stores an object, or replaces it.
  ///
  /// - Parameters:
  ///   - content: must not change meanwhile.
  ///   - digest: its SHA-256. The store refuses content that does not have it.
  ///   - flow: for whom this is done.
  /// - Returns: whether the request was sent again. An earlier one may still arrive then, even after the object was
  ///   deleted.
  @discardableResult
  package func put(
    _ content: RequestContent, as key: String, contentType: String, digest: [UInt8], flow: Flow = Flow()
  ) async throws(ObjectStoreError) -> Bool {
    try await send(
      .put, key, [(name: "Content-Type", value: contentType)], content, digest: digest,
      maxBodyBytes: Self.maxResponseBytes, flow: flow
    ).wasResent
  }

  /// A range of an object's content, as a whole.
  ///
  /// - Parameter range: of at most `maxPieceBytes` bytes, all of which the object has.
  package func get(
    _ key: String, _ range: Range<Int64>, flow: Flow = Flow()
  ) async throws(ObjectStoreError) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.count <= Self.maxPieceBytes)
    guard !range.isEmpty else { return [] }
    let field = (name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
    return try await send(.get, key, [field], maxBodyBytes: range.count, flow: flow).bytes(of: range)
  }

  /// How many bytes an object has; nil if there is none.
  package func size(of key: String, flow: Flow = Flow()) async throws(ObjectStoreError) -> Int64? {
    let response: ClientResponse
    do throws(ObjectStoreError) {
      response = try await send(.head, key, flow: flow)
    } catch .missing {
      // A response to HEAD does not say whether there is a bucket, nor whether it is the store's.
      do throws(ObjectStoreError) { _ = try await get(key, 0..<1, flow: flow) } catch .missing { return nil }
      throw .away("something before it responded 404 to HEAD")
    }
    guard let size = response["content-length"].flatMap({ Int64($0) }), size >= 0 else {
      throw .malformedResponse("it has no Content-Length")
    }
    return size
  }

  /// Deletes an object. There may be none.
  package func delete(_ key: String, flow: Flow = Flow()) async throws(ObjectStoreError) {
    do throws(ObjectStoreError) {
      _ = try await send(.delete, key, maxBodyBytes: Self.maxResponseBytes, flow: flow)
    } catch .missing {
      return
    }
  }

  /// A URL at which anybody may read an object until so many seconds have passed. Amazon's maximum is a week.
  ///
  /// - Parameter fields: what the response must have in place of what the store would send: `cache-control`,
  ///   `content-disposition`, `content-encoding`, `content-language`, `content-type` or `expires`.
  package func presignedURL(
    of key: String, validFor seconds: Int, fields: [(name: String, value: String)] = []
  ) -> String {
    let query = settings.signature.presignedQuery(
      host: settings.host, path: settings.path(of: key),
      query: fields.map { (name: "response-\($0.name)", value: $0.value) }, at: clock.now() / 1000, validFor: seconds)
    return "\(settings.url(of: key))?\(query)"
  }

  // MARK: - Check

  /// Stores and reads a small object, and deletes one that is not there. Wrong settings are found at the start that
  /// way, and not by users.
  ///
  /// The object stays, and has the same content at each check. If each check had an object of its own, each process that
  /// is killed meanwhile would leave one. If checks deleted the common one, they would take it from each other.
  ///
  /// - Returns: nil if the objects of the bucket can be used.
  package func check() async -> Problem? {
    // Processes of different versions may check at the same time.
    let key = "selfie-server-check"
    let bytes = Array(key.utf8)
    var action = "store"
    do throws(ObjectStoreError) {
      try await put(.bytes(bytes), as: key, contentType: "text/plain", digest: Digest.sha256(bytes))
      action = "read"
      let found = try await get(key, 0..<Int64(bytes.count))
      guard found == bytes else { throw .malformedResponse("an object is not what was stored") }
      action = "delete"
      try await delete("\(key)-none")
      return nil
    } catch {
      return Problem(text: error.problem(to: action), cause: error)
    }
  }

  /// Why the objects of a bucket cannot be used.
  package struct Problem: Sendable {
    /// A sentence that names the setting where one is wrong.
    package let text: String
    package let cause: ObjectStoreError
  }

  // MARK: - Attempts

  /// Sends a request until it succeeds or no other attempt may help.
  private func send(
    _ method: Method, _ key: String, _ fields: [(name: String, value: String)] = [],
    _ content: RequestContent = .bytes([]), digest: [UInt8] = Digest.sha256([]), maxBodyBytes: Int = 0, flow: Flow
  ) async throws(ObjectStoreError) -> ClientResponse {
    let start = clock.uptime()
    var request = ClientRequest(
      method: method, url: settings.url(of: key), content: content, maxBodyBytes: maxBodyBytes)
    // A store that compressed content would change its length and its ranges.
    let unsigned = [(name: "Host", value: settings.host), (name: "Accept-Encoding", value: "identity")]
    var attempts = 0
    while true {
      // Each attempt has a signature of its own, since a signature has its time.
      let seconds = clock.now() / 1000
      let signature = settings.signature.headers(
        method: "\(method.name)", host: settings.host, path: settings.path(of: key), headers: fields, digest: digest,
        at: seconds)
      request.fields = fields + signature + unsigned
      do throws(ObjectStoreError) {
        var response = try await attempt(request, flow)
        response.wasResent = response.wasResent || attempts > 0
        if let error = response.error(to: method, now: seconds) { throw error }
        observe(method, since: start, hasFailed: false)
        return response
      } catch {
        attempts += 1
        guard case .unavailable(_, let retryAfterSeconds) = error, !Task.isCancelled,
          let pause = Self.pause(
            afterAttempts: attempts, elapsed: clock.uptime() - start, retryAfterSeconds: retryAfterSeconds,
            random: random)
        else {
          observe(method, since: start, hasFailed: error != .missing)
          throw error
        }
        counts.withLock { $0.retries += 1 }
        // No thread of the pool waits meanwhile.
        await clock.sleep(pause)
      }
    }
  }

  private func observe(_ method: Method, since start: Int64, hasFailed: Bool) {
    let duration = (clock.uptime() - start) &* 1_000_000
    counts.withLock { counts in
      for index in counts.requests.indices where counts.requests[index].method == "\(method.name)" {
        counts.requests[index].durations.observe(duration)
        counts.requests[index].failures += hasFailed ? 1 : 0
      }
    }
  }

  /// Sends a request on a thread of the pool, unless its task is cancelled before there is one.
  private func attempt(_ request: ClientRequest, _ flow: Flow) async throws(ObjectStoreError) -> ClientResponse {
    do {
      return try await pool.runUnlessCancelled(flow: flow) { [client] in try client.perform(request) }
    } catch let error as ObjectStoreError {
      throw error
    } catch is CancellationError {
      throw .cancelled
    } catch {
      // The pool has no other error.
      throw .busy
    }
  }
}
