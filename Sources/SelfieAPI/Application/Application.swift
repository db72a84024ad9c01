import Cryptography
import HTTPMessages
import Logging
import SQLite
import Platform

/// The product: one function from a request to its answer. It opens no sockets.
public struct Application: Sendable {
  package let settings: APISettings
  let users: UserStore
  let tokens: TokenStore
  package let photos: PhotoLibrary
  let authentication: Authentication
  package let passwords: Passwords
  package let loginThrottle: LoginThrottle
  let listing: WorkerPool
  let readiness: Readiness
  package let random: RandomSource
  /// Unix milliseconds.
  package let clock: @Sendable () -> Int64
  package let database: Database
  private let requestIDs = RequestIDs()
  let logger: Logger

  /// - Parameters:
  ///   - photos: in the same database.
  ///   - hashing: the lane on which passwords are hashed.
  ///   - listing: the lane on which long lists are made.
  ///   - clock: the time in unix milliseconds; every rule about time follows it.
  ///   - uptime: a time in milliseconds that nobody turns, for what is about this machine and not about the API;
  ///     the system's if nil.
  public init(
    settings: APISettings, database: Database, photos: PhotoLibrary, hashing: WorkerPool,
    listing: WorkerPool, random: RandomSource = .system, clock: @escaping @Sendable () -> Int64,
    uptime: (@Sendable () -> Int64)? = nil, logger: Logger
  ) {
    self.settings = settings
    self.database = database
    self.random = random
    self.clock = clock
    self.logger = logger
    users = UserStore(database: database)
    tokens = TokenStore(database: database)
    self.photos = photos
    self.listing = listing
    loginThrottle = LoginThrottle(
      failures: settings.limitsFailures ? FailureCounter() : nil, proxies: settings.trustedProxies, clock: clock)
    authentication = Authentication(
      authName: Array(settings.authName.utf8), authPassword: Array(settings.authPassword.utf8), tokens: tokens,
      throttle: loginThrottle)
    passwords = Passwords(
      apiPassword: Array(settings.authPassword.utf8), cost: settings.passwordCost, pool: hashing)
    readiness = Readiness(
      photos: photos, database: database, largestPhoto: settings.maxPhotoBytes,
      clock: uptime ?? { Stopwatch.uptimeMilliseconds }, logger: logger)
  }

  /// Answers a request. Nothing is thrown: whatever goes wrong becomes an answer.
  public func respond(_ request: Request) async -> Response {
    let stopwatch = Stopwatch()
    let id = requestIDs.id(for: request)
    var response: Response
    do {
      response = try await dispatch(request)
    } catch {
      response = answer(to: error, requestID: id)
    }
    response.fields.append(lines: Self.commonFields)
    response.fields.append("X-Request-Id", id)
    let seconds = stopwatch.seconds
    response.fields.append("X-Runtime", seconds)
    logger.debug(
      "\(request.head.method) \(Self.loggedPath(request)) \(response.status.code)",
      metadata: ["request_id": "\(Self.text(id))", "seconds": "\(Self.text(seconds))", "peer": "\(request.peer)"])
    return response
  }

  /// The path without what must not be in a log: the query, which may hold a password, and the id of a
  /// photo, wherever it stands. No address of the server has another part that is as long.
  private static func loggedPath(_ request: Request) -> String {
    request.head.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { $0.count < Photo.idLength ? String(decoding: $0, as: UTF8.self) : "…" }
      .joined(separator: "/")
  }

  /// Runs a turn of an event loop: the answers that it gives share their look at the database.
  public func turn(_ turn: () -> Void) {
    database.sharingReads(turn)
  }

  /// Runs work that would hold up an event loop, where long lists are made.
  ///
  /// - Throws: `WorkerPoolFull` when too much waits there already, or what the work throws.
  package func onWorker<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await listing.run(work)
  }

  /// Words a refusal of the server's, for a request that the application has not seen.
  public func refuse(_ status: Status, _ message: String) -> Response {
    var response = Self.errorResponse(APIError(status, message))
    response.fields.append(lines: Self.commonFields)
    response.fields.append("X-Request-Id", requestIDs.next())
    response.fields.append("X-Runtime", Stopwatch().seconds)
    return response
  }

  /// Notes the digests of new photos; to be called from time to time.
  public func noteDigests() async throws {
    try await photos.noteDigests(ofAll: false)
  }

  /// Forgets tokens that expired long ago, removes what is left of deleted photos, and looks again at photos that had no
  /// digest yet; to be called from time to time.
  public func prune() async throws {
    while try await tokens.prune(now: clock()) > 0 {}
    try await photos.collectRemoved()
    try await photos.noteDigests(ofAll: true)
    if let failure = database.checkpointFailure {
      logger.error(
        """
        the database's log cannot be folded into its file, and grows; nothing is lost. Look at the disk, and restart \
        the server if this is said again
        """, metadata: ["error": "\(failure)"])
    }
  }

  /// What Rails sent with every answer.
  private static let commonFields = Array(
    "X-Frame-Options: SAMEORIGIN\r\nX-XSS-Protection: 1; mode=block\r\nX-Content-Type-Options: nosniff\r\n".utf8)

  // MARK: - Errors

  /// The one place where errors become answers.
  private func answer(to error: any Error, requestID: [UInt8]) -> Response {
    switch error {
    case let error as APIError: return Self.errorResponse(error)
    case let error as ParameterError: return Self.errorResponse(APIError(.badRequest, error.message))
    case let error as BodyError: return Self.errorResponse(Self.apiError(for: error))
    default: return answer(to: RequestFailure(error), error, requestID)
    }
  }

  private func answer(to failure: RequestFailure, _ error: any Error, _ requestID: [UInt8]) -> Response {
    func log(_ message: Logger.Message) {
      logger.error(message, metadata: ["request_id": "\(Self.text(requestID))", "error": "\(error)"])
    }
    switch failure {
    case .cancelled, .busy: return Self.errorResponse(.busy)
    case .storageFull:
      log("the disk is full")
      return Self.errorResponse(.storageFull)
    case .storageFailing(let number):
      log("the storage cannot be used")
      return Self.errorResponse(.storageFailing(number, requestID: Self.text(requestID)))
    case .unexpected:
      log("a request failed")
      return Self.errorResponse(
        APIError(
          .internalServerError,
          "Something went wrong on the server. Its log says more under the request id \(Self.text(requestID))."))
    }
  }

  private static func apiError(for error: BodyError) -> APIError {
    switch error {
    case .tooLarge(let limit): APIError(.contentTooLarge, "The request body is larger than \(limit) bytes.")
    case .malformed(let message): APIError(.badRequest, message)
    case .timedOut: APIError(.requestTimeout, "The request body did not arrive in time.")
    case .disconnected: APIError(.badRequest, "The connection ended before the request body did.")
    }
  }

  private static func errorResponse(_ error: APIError) -> Response {
    var fields = ResponseFields(
      lines: "Content-Type: application/json; charset=utf-8\r\nCache-Control: no-cache\r\n")
    switch error.challenge {
    case .basic?: fields.append("WWW-Authenticate", "Basic realm=\"Application\"" as StaticString)
    case .token?: fields.append("WWW-Authenticate", "Token realm=\"Application\"" as StaticString)
    case nil: break
    }
    if let reason = error.reason { fields.append("X-Error", reason) }
    if let seconds = error.retryAfter { fields.append("Retry-After", String(seconds)) }
    return Response(
      status: error.status, fields: fields, body: .bytes(message(status: error.status.code, error.message)))
  }

  /// `{"status":N,"message":"…"}`, which the clients show.
  static func message(status: Int, _ message: String) -> [UInt8] {
    JSONWriter.object { json in
      json.member("status", Int64(status))
      json.member("message", message)
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
