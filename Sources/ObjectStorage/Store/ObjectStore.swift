import Cryptography
import HTTPClient
import HTTPMessages
import Platform

/// The objects of a bucket.
///
/// Requests run on threads of their own, and are sent again if that may help. All of them can be: an object's content
/// never changes, and to put or delete it twice does no harm. One whose task is cancelled is not sent, or not again.
public final class ObjectStore: Sendable {
  /// What one request for content may hold in memory. Long objects are read in pieces of this size.
  public static let maxPieceBytes = BodyStream.maxPieceBytes

  private let settings: ObjectStoreSettings
  private let client: BlockingHTTPClient
  private let pool: WorkerPool
  private let retries: RetryPolicy
  private let clock: RetryClock
  private let random: RandomSource
  private let counters = ObjectStoreCounters()

  /// - Parameters:
  ///   - authorities: the path of a PEM file with the certificates to trust; nil for the system's.
  ///   - threads: how many requests there are at once.
  ///   - waiting: how many more may wait.
  public init(
    _ settings: ObjectStoreSettings, authorities: String? = nil, timeouts: ClientTimeouts = ClientTimeouts(),
    threads: Int = 16, waiting: Int = 1_000, retries: RetryPolicy = RetryPolicy(), clock: RetryClock = .system,
    random: RandomSource = .system
  ) {
    self.settings = settings
    self.retries = retries
    self.clock = clock
    self.random = random
    client = BlockingHTTPClient(timeouts: timeouts, authorities: authorities, maxIdle: threads)
    pool = WorkerPool(name: "object-store", threads: threads, waiting: waiting)
  }

  deinit {
    // A request that is under way refers to the store, so the threads have nothing to do and end at once.
    shutDown()
  }

  /// Waits for the requests that are under way, and closes the connections. Blocks meanwhile.
  public func shutDown() {
    pool.shutDown()
    client.closeIdleConnections()
  }

  package var statistics: ObjectStoreStatistics { counters.statistics(pool: pool.statistics) }

  // MARK: - Requests

  /// Stores an object, or replaces it.
  ///
  /// - Parameters:
  ///   - content: must not change meanwhile.
  ///   - digest: its SHA-256; nil to find it out. The store refuses content that does not have it.
  ///   - turn: for whom this is done.
  /// - Returns: whether the request was sent again. An earlier one may still arrive then, even after the object was
  ///   deleted.
  @discardableResult
  public func put(
    _ content: RequestContent, as key: String, contentType: String, digest: [UInt8]? = nil, turn: Turn = Turn()
  ) async throws(ObjectStoreError) -> Bool {
    let known: [UInt8]
    if let digest {
      known = digest
    } else {
      known = try await run(turn) { () throws(ClientError) in try content.digest() }
    }
    let (response, attempts) = try await send(
      ObjectRequest(
        method: .put, key: key, fields: [(name: "Content-Type", value: contentType)], content: content, digest: known,
        maxBodyBytes: Self.maxResponseBytes),
      turn)
    return attempts > 1 || response.wasResent
  }

  /// A range of an object's content, as a whole.
  ///
  /// - Parameter range: of at most `maxPieceBytes` bytes, all of which the object has.
  public func get(
    _ key: String, _ range: Range<Int64>, turn: Turn = Turn()
  ) async throws(ObjectStoreError) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.count <= Self.maxPieceBytes)
    guard !range.isEmpty else { return [] }
    let (response, _) = try await send(
      ObjectRequest(
        method: .get, key: key, fields: [PartialContent.field(for: range)], maxBodyBytes: range.count),
      turn)
    return try PartialContent.bytes(of: response, range)
  }

  /// What is known of an object; nil if there is none.
  public func head(_ key: String, turn: Turn = Turn()) async throws(ObjectStoreError) -> ObjectMetadata? {
    let response: ClientResponse
    do throws(ObjectStoreError) {
      (response, _) = try await send(ObjectRequest(method: .head, key: key), turn)
    } catch .missing {
      // A response to HEAD does not say whether there is a bucket.
      do throws(ObjectStoreError) { _ = try await get(key, 0..<1, turn: turn) } catch .missing {}
      return nil
    }
    guard let metadata = ObjectMetadata(response) else { throw .malformedResponse("it has no Content-Length") }
    return metadata
  }

  /// Deletes an object. There may be none.
  public func delete(_ key: String, turn: Turn = Turn()) async throws(ObjectStoreError) {
    do throws(ObjectStoreError) {
      _ = try await send(
        ObjectRequest(method: .delete, key: key, maxBodyBytes: Self.maxResponseBytes), turn)
    } catch .missing {
      return
    }
  }

  /// A URL at which anybody may read an object until so many seconds have passed.
  ///
  /// - Parameter fields: what the response must have in place of what the store would send: `cache-control`,
  ///   `content-disposition`, `content-encoding`, `content-language`, `content-type` or `expires`.
  public func presignedURL(
    of key: String, validFor seconds: Int, fields: [(name: String, value: String)] = []
  ) -> String {
    settings.presignedURL(
      of: key, query: fields.map { (name: "response-\($0.name)", value: $0.value) }, at: clock.now() / 1000,
      validFor: seconds)
  }

  /// Stores and reads a small object, and deletes one that is not there. Wrong settings are found at the start that
  /// way, and not by users.
  ///
  /// The object stays, and has the same content at each check. If each check had an object of its own, each process that
  /// is killed meanwhile would leave one. If checks deleted the common one, they would take it from each other.
  public func check() async throws(ObjectStoreProblem) {
    let (key, bytes) = (Self.checkedKey, Array(Self.checkedKey.utf8))
    var action = ObjectStoreProblem.Action.put
    do throws(ObjectStoreError) {
      try await put(.bytes(bytes), as: key, contentType: "text/plain")
      action = .get
      let found = try await get(key, 0..<Int64(bytes.count))
      guard found == bytes else { throw .malformedResponse("an object is not what was stored") }
      action = .delete
      try await delete("\(key)-none")
    } catch {
      throw ObjectStoreProblem(error, in: action)
    }
  }

  /// Processes of different versions may check at the same time.
  private static let checkedKey = "selfie-server-check"

  /// Some stores describe a success, too.
  private static let maxResponseBytes = 64 * 1024

  // MARK: - Attempts

  /// Sends a request until it succeeds or no other attempt may help.
  private func send(
    _ request: ObjectRequest, _ turn: Turn
  ) async throws(ObjectStoreError) -> (response: ClientResponse, attempts: Int) {
    let start = clock.uptime()
    var attempts = 0
    while true {
      do throws(ObjectStoreError) {
        let response = try await attempt(request, turn)
        counters.count(request.method, milliseconds: clock.uptime() - start, nil)
        return (response, attempts + 1)
      } catch {
        attempts += 1
        guard case .unavailable(_, let retryAfterSeconds) = error, !Task.isCancelled,
          let pause = retries.pause(
            afterAttempts: attempts, elapsed: clock.uptime() - start, retryAfterSeconds: retryAfterSeconds,
            random: random)
        else {
          counters.count(request.method, milliseconds: clock.uptime() - start, error)
          throw error
        }
        counters.countRetry()
        // No thread of the pool waits meanwhile.
        await clock.sleep(pause)
      }
    }
  }

  private func attempt(_ request: ObjectRequest, _ turn: Turn) async throws(ObjectStoreError) -> ClientResponse {
    let seconds = clock.now() / 1000
    let signed = request.signed(settings, at: seconds)
    let response = try await run(turn) { [client] () throws(ClientError) in try client.perform(signed) }
    try ResponseCheck.check(response, to: request.method, now: seconds)
    return response
  }

  /// Runs work that blocks on a thread of the pool, unless its task is cancelled before there is one.
  private func run<Success: Sendable>(
    _ turn: Turn, _ work: @escaping @Sendable () throws(ClientError) -> Success
  ) async throws(ObjectStoreError) -> Success {
    let result: Result<Success, ClientError>
    do {
      result = try await pool.runUnlessCancelled(turn: turn) { Result(catching: work) }
    } catch is CancellationError {
      throw .cancelled
    } catch {
      // The pool has no other error.
      throw .busy
    }
    switch result {
    case .success(let value): return value
    case .failure(let error): throw ObjectStoreError(error)
    }
  }
}
