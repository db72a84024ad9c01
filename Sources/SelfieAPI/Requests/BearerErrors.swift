import HTTPMessages

// Changes errors for clients with `Bearer`. APIError.swift has the errors themselves.
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

extension Request {
  var isBearer: Bool { head.fields[.authorization].map(Authorization.isBearer) ?? false }
}
