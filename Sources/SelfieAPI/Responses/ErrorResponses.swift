package import HTTPMessages
import Logging
import Platform
import SQL

// Turns errors into responses. `APIError` is one refusal, and `StorageFailure` one failure of the storage.
extension Application {
  /// The refusal that tells a client of an error. Logs the error if the server is at fault.
  ///
  /// - Parameter requestID: a new one if nil.
  package func refusal(for error: any Error, requestID: [UInt8]? = nil) -> APIError {
    if let refusal = APIError(error) { return refusal }
    let requestID = String(decoding: requestID ?? requestIDs.next(), as: UTF8.self)
    let failure = StorageFailure(error)
    if let message = failure.logMessage {
      logger.error(message, metadata: ["request_id": "\(requestID)", "error": "\(failure.detail)"])
    }
    return failure.response(requestID: requestID)
  }

  /// The response to a request of the owner's page that has failed.
  ///
  /// - Parameter requestID: a new one if nil.
  package func response(to error: any Error, of request: Request, requestID: [UInt8]? = nil) -> Response {
    refusal(for: error, requestID: requestID).response(to: request)
  }
}

extension APIError {
  /// The response to a request that is refused.
  func response(to request: Request, as format: ErrorFormat = .selfie) -> Response {
    (request.isBearer ? forBearer : self).response(as: format)
  }

  func response(as format: ErrorFormat = .selfie) -> Response {
    var fields = ResponseFields.uncachedJSON
    switch challenge {
    case .basic?: fields.append("WWW-Authenticate", "Basic realm=\"Application\"" as StaticString)
    case .token?: fields.append("WWW-Authenticate", "Token realm=\"Application\"" as StaticString)
    case .bearer?:
      // RFC 6750 §3. The message has no quotation mark and no backslash.
      fields.append(
        "WWW-Authenticate",
        "Bearer realm=\"Application\", error=\"invalid_token\", error_description=\"\(message)\"")
    case nil: break
    }
    if status == .unsupportedMediaType { fields.append("Accept-Encoding", "identity" as StaticString) }
    if let reason { fields.append("X-Error", reason.rawValue) }
    fields.append("X-Error-Detail", detailLine)
    if let retryAfter { fields.append("Retry-After", String(retryAfter)) }
    return Response(status: status, fields: fields, body: .bytes(format.json(status.code, message)))
  }

  /// Whether an error says that a client asks for more than it may, or than the server can do now.
  static func asksForPatience(_ error: any Error) -> Bool {
    if let error = error as? APIError { return error.status == .tooManyRequests }
    return StorageFailure(error).kind == .busy
  }
}

extension ActivityCounters.Outcome {
  /// How an endpoint has ended that has thrown this.
  init(of error: any Error) {
    guard let error = APIError(error) else {
      self = .failed
      return
    }
    self =
      switch error.reason {
      case .wrongPassword: .wrongPassword
      case .unknownEmail: .unknownAccount
      case .tooManyAttempts, .tooManySignups: .tooManyAttempts
      default: error.status.code >= 500 && error.status != .insufficientStorage ? .failed : .refused
      }
  }
}

/// The JSON objects in which the apps of a family expect errors.
enum ErrorFormat {
  /// `{"status":N,"message":"…"}`
  case selfie
  /// `{"status":"failed","message":"…"}`
  case microblog
  /// As the Selfie app's, with the message as `errors` too, which the Notes app shows.
  case notes

  func json(_ status: Int, _ message: String) -> [UInt8] {
    switch self {
    case .selfie: StatusMessage.json(status, message)
    case .microblog:
      JSONWriter.object { json in
        json.member("status", "failed")
        json.member("message", message)
      }
    case .notes:
      JSONWriter.object { json in
        StatusMessage.write(status, message, to: &json)
        json.member("errors", message)
      }
    }
  }
}

extension StorageFailure {
  /// Nil where the server is not at fault.
  fileprivate var logMessage: Logger.Message? {
    switch kind {
    case .busy: nil
    case .full: "the disk is full"
    case .databaseAway: "the database does not respond"
    case .objectsAway: "the object store does not respond"
    case .outcomeUnknown: "it is not known whether a request was stored"
    case .locked: "another program has locked the database. Stop it: only the server may write to the database"
    case .failing: "the storage cannot be used"
    case .damaged: "the database is damaged. Look at it with selfie-server doctor, and restore a backup"
    case .unexpected: "a request failed"
    }
  }
}

extension APIError {
  /// The response to what the server refuses; nil for failures, which `StorageFailure` describes.
  fileprivate init?(_ error: any Error) {
    switch error {
    case let error as APIError: self = error
    case let error as ParameterError: self.init(.badRequest, error.message, detail: error.detail)
    case let error as Refusal: self = error.apiError
    case let error as BodyError: self.init(error)
    case let error as SharedDatabaseError where error.kind == .nulInText:
      self.init(.badRequest, "A text must not contain a NUL character.")
    default: return nil
    }
  }

  fileprivate init(_ error: BodyError) {
    switch error {
    case .tooLarge(let limit): self.init(.contentTooLarge, "The request body is larger than \(limit) bytes.")
    case .malformed(let message): self.init(.badRequest, message)
    case .timedOut: self.init(.requestTimeout, "The request body did not arrive in time.")
    case .disconnected: self.init(.badRequest, "The connection ended before the request body did.")
    case .outOfMemory: self = .outOfMemory
    }
  }
}

extension Refusal {
  fileprivate var apiError: APIError {
    switch self {
    case .tokenEnded: .deniedToken
    case .accountDisabled: .accountDisabled
    case .passwordReplaced: .notesCredentialsWrong
    case .accountExists: APIError(.conflict, "This name is taken.", reason: .nameTaken)
    case .tooManyPhotos(let max):
      APIError(
        .insufficientStorage, "This account has reached its limit of photos: \(max). Delete some first.",
        reason: .tooManyPhotos)
    case .userQuota(let quota):
      APIError(
        .insufficientStorage,
        "The photos of an account may use \(quota.byteSize) in total. Delete some first.",
        reason: .userQuota)
    case .storageQuota(let quota):
      APIError(
        .insufficientStorage,
        "The server's photos have reached the owner's limit of \(quota.byteSize). No more can be stored.",
        reason: .storageQuota)
    case .tooManyNotes:
      APIError(
        .insufficientStorage,
        "An account has at most \(Note.maxPerUser) notes of \(Note.maxBytesPerUser) bytes in all. Delete some first.",
        reason: .tooManyNotes)
    case .tooManyPosts:
      APIError(.insufficientStorage, "An account has at most \(Blogpost.maxPerUser) posts.", reason: .tooManyPosts)
    }
  }
}
