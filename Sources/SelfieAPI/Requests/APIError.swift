package import HTTPMessages

/// A response that is not a success: the client gets its status and its message as a JSON object. ErrorResponses.swift
/// makes the HTTP response. A store throws a `Refusal`, and a failure of the storage is a `StorageFailure`.
package struct APIError: Error {
  /// The scheme in which the client should send its credentials (RFC 9110 §11.6.1).
  package enum Challenge {
    case basic, token, bearer
  }

  /// Names the error for programs; it is sent as `X-Error`.
  package enum Reason: String, CaseIterable {
    case invalidApiCredentials = "invalid_api_credentials", invalidToken = "invalid_token",
      expiredToken = "expired_token", notRefreshable = "not_refreshable", reusedToken = "reused_token",
      missingCredentials = "missing_credentials", missingSession = "missing_session",
      wrongPassword = "wrong_password", unknownEmail = "unknown_email", accountDisabled = "account_disabled",
      foreignPage = "foreign_page"
    case signupClosed = "signup_closed", getTokenOff = "get_token_off", tooManyAttempts = "too_many_attempts",
      tooManySignups = "too_many_signups"
    case nameTaken = "name_taken", invalidNote = "invalid_note", unknownNote = "unknown_note",
      unknownPhoto = "unknown_photo", unknownPost = "unknown_post"
    case tooManyNotes = "too_many_notes", tooManyPhotos = "too_many_photos", tooManyPosts = "too_many_posts",
      userQuota = "user_quota", storageQuota = "storage_quota"
    case busy, notReady = "not_ready", storageFull = "storage_full", storageFailing = "storage_failing",
      storageAway = "storage_away", databaseAway = "database_away", outcomeUnknown = "outcome_unknown"
  }

  package let status: Status
  package let message: String
  let reason: Reason?
  let challenge: Challenge?
  /// The seconds after which another try makes sense (RFC 9110 §10.2.3).
  let retryAfter: Int?
  /// What was found and what is needed, if the message does not say it.
  var detail: String?

  package init(
    _ status: Status, _ message: String, reason: Reason? = nil, challenge: Challenge? = nil,
    retryAfter: Int? = nil, detail: String? = nil
  ) {
    self.status = status
    self.message = message
    self.reason = reason
    self.challenge = challenge
    self.detail = detail
    // With 503, a client also learns when to try again.
    self.retryAfter = retryAfter ?? (status == .serviceUnavailable ? 1 : nil)
  }

  /// No endpoint has this path and method.
  package static let notFound = APIError(.notFound, "Wrong URL or HTTP method")

  static let wrongPassword = APIError(.unauthorized, "Wrong Password", reason: .wrongPassword)

  /// A parameter that the endpoint needs is missing or null.
  static let parametersMissing = APIError(.badRequest, "required parameters are missing")

  /// The owner has disabled the account. It is no 401, after which apps ask for credentials, or refresh their token and try
  /// again: neither would help.
  static let accountDisabled = APIError(
    .forbidden, "This account is disabled. Please ask the owner of the server.", reason: .accountDisabled)

  /// The clients of the server hold as much memory as they may; nothing was done.
  static let outOfMemory = APIError(
    .serviceUnavailable, "Other requests use all of the server's memory. Try again in a moment.", reason: .busy)

  /// Too many requests wait for the same thing; nothing was done.
  static let busy = APIError(.serviceUnavailable, "The server is busy. Try again in a moment.", reason: .busy)

  /// A limit on attempts is reached.
  ///
  /// - Parameter wait: the milliseconds until the next attempt is allowed.
  package static func tooMany(_ attempts: String, wait: Int64, reason: Reason) -> APIError {
    let seconds = Int((wait + 999) / 1000)
    return APIError(
      .tooManyRequests, "Too many \(attempts). Try again in \(seconds) seconds.", reason: reason, retryAfter: seconds)
  }
}

extension APIError {
  /// The error as a client with `Bearer` gets it.
  ///
  /// Alamofire's interceptors get a new token on each 401 and send the same request again, and they would do so for ever
  /// if the next token changed nothing. So 401 is only for what a new token cures.
  var forBearer: APIError {
    guard status == .unauthorized else { return self }
    switch reason {
    case .expiredToken, .invalidToken, .reusedToken:
      return APIError(status, message, reason: reason, challenge: .bearer, retryAfter: retryAfter, detail: detail)
    case .unknownPhoto: return APIError(.notFound, message, reason: reason, detail: detail)
    // Wrong passwords, the API's among them.
    default: return APIError(.forbidden, message, reason: reason, retryAfter: retryAfter, detail: detail)
    }
  }
}
