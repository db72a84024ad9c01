import Cryptography
import HTTPMessages

/// How a client shows who it is, as the challenges name it.
enum AuthenticationScheme {
  case basic, token
}

/// What the original's `before_filter`s did: HTTP Basic for the first three endpoints, a token for the others.
struct Authentication: Sendable {
  let authName: [UInt8]
  let authPassword: [UInt8]
  let tokens: TokenStore
  let throttle: LoginThrottle

  /// Lets pass who knows the API's name and password. Who sends none is shown the challenge; who
  /// sends wrong ones too often has to wait.
  func requireBasic(_ request: Request) throws {
    guard case .basic(let encoded)? = credentials(request) else { throw Self.denied(.basic) }
    let attempt = throttle.attempt(by: request)
    try attempt.check()
    guard isValid(basic: encoded) else {
      attempt.fail()
      throw Self.denied(.basic)
    }
  }

  func isValid(basic encoded: ArraySlice<UInt8>) -> Bool {
    let decoded = Base64.decodeLeniently(encoded)
    let colon = decoded.firstIndex(of: UInt8(ascii: ":")) ?? decoded.endIndex
    let name = Array(decoded[..<colon])
    let password = Array(decoded[colon...].dropFirst())
    // Both are compared whatever the first says, and in constant time.
    let isName = constantTimeEqual(name, authName)
    let isPassword = constantTimeEqual(password, authPassword)
    return isName && isPassword
  }

  /// The token of a request, which may have expired: each endpoint says that in its own words.
  ///
  /// - Throws: 401 when there is none, or it is unknown or has been ended.
  func requireToken(_ request: Request) throws -> Token {
    guard case .token(let letters)? = credentials(request), letters.count <= RequestLimits.token,
      let token = try tokens.find(digest: Token.digest(of: Array(letters)))
    else { throw Self.denied(.token) }
    return token
  }

  private func credentials(_ request: Request) -> Authorization? {
    request.head.fields[.authorization].flatMap(Authorization.parse)
  }

  private static func denied(_ scheme: AuthenticationScheme) -> APIError {
    switch scheme {
    case .basic:
      APIError(
        .unauthorized, "HTTP Basic: Access denied.", reason: "invalid_api_credentials", challenge: .basic)
    case .token: APIError(.unauthorized, "HTTP Token: Access denied.", reason: "invalid_token", challenge: .token)
    }
  }
}

extension Application {
  /// Whether a request has the API's name and password.
  package func isAuthorized(_ request: Request) -> Bool {
    (try? authentication.requireBasic(request)) != nil
  }

  /// Whether a Basic field holds the API's name and password. It is no guess, and counts as none.
  ///
  /// - Parameter encoded: base64, as it came.
  package func isValid(basic encoded: ArraySlice<UInt8>) -> Bool {
    authentication.isValid(basic: encoded)
  }
}
