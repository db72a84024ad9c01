import Cryptography
import HTTPMessages

/// The original's `before_filter`s: HTTP Basic for signup, signin and get_token, a token for the other endpoints.
package struct Authentication: Sendable {
  let authName: [UInt8]
  let authPassword: [UInt8]
  let tokens: TokenStore
  let throttle: LoginThrottle

  static let deniedToken = APIError(
    .unauthorized, "HTTP Token: Access denied.", reason: "invalid_token", challenge: .token)

  private static let deniedBasic = APIError(
    .unauthorized, "HTTP Basic: Access denied.", reason: "invalid_api_credentials", challenge: .basic)

  /// - Throws: 401 unless the request has the API's name and password; 429 after too many wrong ones.
  package func requireBasic(_ request: Request) throws {
    guard case .basic(let encoded)? = credentials(request) else { throw Self.deniedBasic }
    let attempt = throttle.attempt(by: request)
    try attempt.check()
    guard isValid(basic: encoded) else {
      attempt.fail()
      throw Self.deniedBasic
    }
  }

  /// Whether these are the API's name and password. The throttle does not count it.
  ///
  /// - Parameter encoded: base64, as the client sent it.
  package func isValid(basic encoded: ArraySlice<UInt8>) -> Bool {
    let decoded = Base64.decodeLeniently(encoded)
    let colon = decoded.firstIndex(of: UInt8(ascii: ":")) ?? decoded.endIndex
    let name = Array(decoded[..<colon])
    let password = Array(decoded[colon...].dropFirst())
    // Both are compared whatever the first comparison says, and in constant time.
    let isName = constantTimeEqual(name, authName)
    let isPassword = constantTimeEqual(password, authPassword)
    return isName && isPassword
  }

  /// The token of a request. It may have expired: each endpoint has words of its own for that.
  ///
  /// - Throws: 401 if there is no token, or if it is unknown or was ended.
  func requireToken(_ request: Request) throws -> Token {
    guard case .token(let letters)? = credentials(request), letters.count <= RequestLimits.maxTokenBytes,
      let token = try tokens.find(digest: Token.digest(of: Array(letters)))
    else { throw Self.deniedToken }
    return token
  }

  private func credentials(_ request: Request) -> Authorization? {
    request.head.fields[.authorization].flatMap(Authorization.parse)
  }
}
