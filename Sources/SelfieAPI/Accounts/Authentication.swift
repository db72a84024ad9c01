import HTTPMessages

/// The original's `before_filter`s: HTTP Basic for signup, signin and get_token, a token for the other endpoints.
package struct Authentication: Sendable {
  package let apiCredentials: BasicCredentials
  let tokens: TokenStore
  let throttle: LoginThrottle
  let clock: @Sendable () -> Int64

  static let deniedToken = APIError(
    .unauthorized, "HTTP Token: Access denied.", reason: "invalid_token", challenge: .token)

  private static let deniedBasic = APIError(
    .unauthorized, "HTTP Basic: Access denied.", reason: "invalid_api_credentials", challenge: .basic)

  /// - Throws: 401 unless the request has the API's name and password; 429 after too many wrong ones.
  package func requireBasic(_ request: Request) throws {
    guard case .basic(let encoded)? = credentials(request) else { throw Self.deniedBasic }
    let attempt = throttle.attempt(by: request)
    try attempt.check()
    guard apiCredentials.match(encoded) else {
      attempt.fail()
      throw Self.deniedBasic
    }
  }

  /// The token of a request. It may have expired: each endpoint has words of its own for that.
  ///
  /// - Throws: 401 if there is no token, or if it is unknown or was ended.
  func requireToken(_ request: Request) throws -> Token {
    guard case .token(let letters)? = credentials(request), letters.count <= RequestLimits.maxTokenBytes,
      let token = try tokens.find(digest: Token.digest(of: Array(letters)), now: clock())
    else { throw Self.deniedToken }
    return token
  }

  /// The token of a request, and its parameters. A body may take minutes to arrive, so the token is looked up again after
  /// it: it may have been ended meanwhile.
  ///
  /// - Throws: 401 as `requireToken`, or what reading the parameters throws.
  func tokenAndParameters(of call: Call) async throws -> (Token, Parameters) {
    let token = try requireToken(call.request)
    let parameters = try await call.parameters()
    return (call.request.body.isEmpty ? token : try requireToken(call.request), parameters)
  }

  private func credentials(_ request: Request) -> Authorization? {
    request.head.fields[.authorization].flatMap(Authorization.parse)
  }
}
