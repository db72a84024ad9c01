import HTTPMessages

/// The original's `before_filter`s: HTTP Basic for signup, signin and get_token, a token for the other endpoints.
package struct Authentication: Sendable {
  private let credentials: BasicCredentials
  private let previousCredentials: BasicCredentials?
  let tokens: TokenStore
  let limits: AttemptLimits
  let clock: @Sendable () -> Int64

  static let deniedToken = APIError(
    .unauthorized, "HTTP Token: Access denied.", reason: "invalid_token", challenge: .token)

  /// An expired token of a user who has signed in on another device since.
  private static let retiredToken = APIError(
    .unauthorized, "HTTP Token: Access denied.", reason: "expired_token", challenge: .token)

  static let deniedRefresh = APIError(
    .unauthorized, "Authtoken cannot be refreshed. Please sign in again!", reason: "not_refreshable",
    challenge: .token)

  private static let deniedBasic = APIError(
    .unauthorized, "HTTP Basic: Access denied.", reason: "invalid_api_credentials", challenge: .basic)

  /// - Parameter previousPassword: is valid as well, unless it is nil.
  init(
    name: String, password: String, previousPassword: String?, tokens: TokenStore, limits: AttemptLimits,
    clock: @escaping @Sendable () -> Int64
  ) {
    credentials = BasicCredentials(name: name, password: password)
    previousCredentials = previousPassword.map { BasicCredentials(name: name, password: $0) }
    self.tokens = tokens
    self.limits = limits
    self.clock = clock
  }

  /// - Returns: which of the API's passwords the request has.
  /// - Throws: 401 unless the request has the API's name and password; 429 after too many wrong ones.
  @discardableResult
  package func requireBasic(_ request: Request) async throws -> APIPassword {
    guard case .basic(let encoded)? = authorization(of: request) else { throw Self.deniedBasic }
    let attempt = limits.attempt(by: request)
    try attempt.check()
    guard let password = apiPassword(in: encoded) else {
      attempt.fail()
      throw Self.deniedBasic
    }
    return password
  }

  /// Which of the API's passwords these credentials have; nil unless they are the API's.
  package func apiPassword(in encoded: ArraySlice<UInt8>) -> APIPassword? {
    if credentials.match(encoded) { return .current }
    return previousCredentials?.match(encoded) == true ? .previous : nil
  }

  /// The token of a request. It may have expired: each endpoint has words of its own for that.
  ///
  /// - Throws: 401 if there is no token, or if it is unknown or was ended.
  @inline(__always)
  func requireToken(_ request: Request) async throws -> Token {
    guard let digest = digest(request) else { throw Self.deniedToken }
    guard let token = try await tokens.find(digest: digest, now: clock()) else {
      throw try await denial(of: digest, to: request)
    }
    request.context?.note(userID: token.userID)
    return token
  }

  /// What a request is told whose token does not live.
  func denial(of digest: [UInt8], to request: Request) async throws -> APIError {
    // Its client is to learn that a refresh helps. The contract has no words for it, since Rails knew no Bearer.
    if request.isBearer, let retired = try await tokens.refreshable(digest: digest, now: clock()),
      tokens.policy.verdict(on: retired, now: clock()) == .allowed
    {
      return Self.retiredToken
    }
    return Self.deniedToken
  }

  /// The token of a request and its user, if it can be refreshed or was refreshed too long ago; nil if it is none of
  /// these.
  func refreshableWithUser(_ request: Request) async throws -> (token: Token, user: User)? {
    guard let letters = tokenLetters(of: request),
      let found = try await tokens.refreshableWithUser(
        digest: Token.digest(of: letters), family: Token.family(namedIn: letters), now: clock())
    else { return nil }
    request.context?.note(userID: found.token.userID)
    return found
  }

  /// The same.
  ///
  /// - Throws: 401, which is 403 with Bearer, where that is nil.
  func requireRefreshableWithUser(_ request: Request) async throws -> (token: Token, user: User) {
    guard let found = try await refreshableWithUser(request) else { throw Self.deniedRefresh }
    return found
  }

  /// The token of a request, and its parameters. A body may take minutes to arrive, so the token is looked up again after
  /// it: it may have been ended meanwhile.
  ///
  /// - Throws: 401 as `requireToken`, or what reading the parameters throws.
  func tokenAndParameters(of call: Call) async throws -> (Token, Parameters) {
    let token = try await requireToken(call.request)
    let parameters = try await call.parameters()
    return (call.request.body.isEmpty ? token : try await requireToken(call.request), parameters)
  }

  /// The digest of the token of a request; nil if there is none that could be known.
  func digest(_ request: Request) -> [UInt8]? {
    tokenLetters(of: request).map(Token.digest(of:))
  }

  private func tokenLetters(of request: Request) -> [UInt8]? {
    guard case .token(let letters)? = authorization(of: request), letters.count <= RequestLimits.maxTokenBytes else {
      return nil
    }
    return Array(letters)
  }

  private func authorization(of request: Request) -> Authorization? {
    request.head.fields[.authorization].flatMap(Authorization.parse)
  }
}
