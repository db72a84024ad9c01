import HTTPMessages

/// A credential that a route asks for, and how to find it in a request. Finding it throws the response to a request
/// without it.
struct Credential<Value: Sendable>: Sendable {
  let find: @Sendable (Application, Request) async throws -> Value
}

// The original's `before_filter`s, and what its sister apps and refresh_token ask for.

extension Credential {
  /// The API's name and password, by HTTP Basic.
  static var apiPassword: Credential<APIPassword> { .init { try $0.requireAPIPassword($1) } }
  /// A token, which may have expired: each endpoint has words of its own for that.
  static var token: Credential<Token> { .init { try await $0.requireToken($1) } }
  static var tokenToClear: Credential<Token> { .init { try await $0.requireTokenToClear($1) } }
  /// A token that can be refreshed, or was refreshed before.
  static var refreshable: Credential<Token> { .init { try await $0.requireRefreshable($1) } }
  /// The email address and the password of a user, by HTTP Basic.
  static var notesUser: Credential<User> { .init { try await $0.requireNotesUser($1) } }
}

extension Application {
  /// - Returns: which of the API's passwords the request has.
  /// - Throws: 401 unless the request has the API's name and password; 429 after too many wrong ones.
  package func requireAPIPassword(_ request: Request) throws -> APIPassword {
    guard case .basic(let encoded)? = request.authorization else { throw APIError.deniedBasic }
    let attempt = limits.attempt(by: request)
    try attempt.check()
    guard let password = passwords.keys.first(where: { $0.match(encoded) }) else {
      attempt.fail()
      throw APIError.deniedBasic
    }
    return password
  }

  /// - Throws: 401 if there is no token, or if it is unknown or was ended.
  @inline(__always)
  func requireToken(_ request: Request) async throws -> Token {
    guard let digest = tokenDigest(of: request) else { throw APIError.deniedToken }
    guard let token = try await tokens.find(digest: digest, now: clock()) else {
      throw try await denial(of: digest, to: request)
    }
    request.context?.note { $0.userID = token.userID }
    return token
  }

  /// A client with Bearer learns that a refresh helps. The contract has no words for it, since Rails knew no Bearer.
  private func denial(of digest: [UInt8], to request: Request) async throws -> APIError {
    guard request.isBearer, let retired = try await tokens.refreshable(digest: digest, now: clock()),
      tokens.policy.verdict(on: retired, now: clock()) == .allowed
    else { return .deniedToken }
    return .retiredToken
  }

  /// The token of a request; nil unless it can be refreshed or was refreshed too long ago.
  func refreshable(_ request: Request) async throws -> Token? {
    guard let letters = tokenLetters(of: request),
      let found = try await tokens.refreshable(
        digest: Token.digest(of: letters), family: Token.family(namedIn: letters), now: clock())
    else { return nil }
    request.context?.note { $0.userID = found.userID }
    return found
  }

  fileprivate func requireRefreshable(_ request: Request) async throws -> Token {
    guard let found = try await refreshable(request) else { throw APIError.notRefreshable }
    return found
  }

  /// The digest of the token of a request; nil if there is none that could be known.
  func tokenDigest(of request: Request) -> [UInt8]? { tokenLetters(of: request).map(Token.digest(of:)) }

  private func tokenLetters(of request: Request) -> [UInt8]? {
    guard case .token(let letters)? = request.authorization, letters.count <= RequestLimits.maxTokenBytes else {
      return nil
    }
    return Array(letters)
  }
}

extension APIError {
  fileprivate static let deniedBasic = APIError(
    .unauthorized, "HTTP Basic: Access denied.", reason: .invalidApiCredentials, challenge: .basic)

  static let deniedToken = APIError(
    .unauthorized, "HTTP Token: Access denied.", reason: .invalidToken, challenge: .token)

  /// An expired token of a user who has signed in on another device since.
  fileprivate static let retiredToken = APIError(
    .unauthorized, "HTTP Token: Access denied.", reason: .expiredToken, challenge: .token)

  static let notRefreshable = APIError(
    .unauthorized, "Authtoken cannot be refreshed. Please sign in again!", reason: .notRefreshable, challenge: .token)
}

extension Request {
  var authorization: Authorization? { head.fields[.authorization].flatMap(Authorization.parse) }
}
