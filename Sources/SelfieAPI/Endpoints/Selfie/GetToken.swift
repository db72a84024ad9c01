import Cryptography
import HTTPMessages
import Platform

// The request and the response of get_token. `TokenStore` issues the token.
extension Application {
  /// `GET /api/get_token`: a token for the user of `email`. As in the original, the API's password is enough; the owner
  /// may require the user's encrypted `password` too.
  func getToken(_ call: Call, by apiPassword: APIPassword) async throws -> Response {
    guard settings.getToken != .off else {
      throw APIError(
        .forbidden, "get_token is switched off on this server. Sign in with the password instead.",
        reason: .getTokenOff)
    }
    let parameters = try await call.parameters()
    let password = try requestedPassword(parameters)
    let email = try parameters.key("email")
    let found = try await users.find(email: email)
    guard let user = found else {
      // Without a limit, lists of addresses could be tried here instead of at signin.
      try limits.attempt(by: call).fail(.unknownAccount)
      throw Self.noUserRecord.detailed(ofEmail: parameters["email"])
    }
    if let password {
      let attempt = limits.attempt(by: call, on: .account(.user(user.id)))
      try await passwords.check(password, encryptedBy: [apiPassword], of: user, by: attempt)
    } else {
      // Requests that arrived together have all passed the check of the API's password.
      try limits.attempt(by: call).check()
    }
    guard user.disabledAt == nil else { throw Refusal.accountDisabled }
    call.request.context?.note { $0.userID = user.id }
    if let known = try await knownToken(call.request, user: user) { return .notModified(Self.etag(of: known)) }
    let issued = tokenIssuer.issue(for: user.id)
    let isIssued = try await tokens.issue(issued.token, to: user, checkedPassword: password != nil)
    guard isIssued else { throw password == nil ? Self.noUserRecord : APIError.wrongPassword }
    let json = JSONWriter.object { json in
      json.member("api_authtoken", issued.letters)
      json.member("authtoken_expiry", time: issued.token.expiresAt)
    }
    return .success(json, for: call.request, etag: Self.etag(of: issued.token), isConditional: false)
  }

  private static let noUserRecord = APIError(
    .badRequest, "No user record found for this email ID", reason: .unknownEmail)

  /// The password, if the owner requires it.
  private func requestedPassword(_ parameters: Parameters) throws -> PasswordText? {
    guard settings.getToken == .password else { return nil }
    guard parameters["password"].isPresent else { throw APIError.parametersMissing }
    return try PasswordText(parameters["password"])
  }

  /// The live token that the client got in an earlier response, which it names by the response's ETag: hexadecimal digits
  /// in lower case.
  private func knownToken(_ request: Request, user: User) async throws -> Token? {
    guard let field = ETag.known(request), let opaque = ETag.opaque(of: field), opaque.count == 2 * Self.etagBytes,
      !opaque.contains(where: { $0 < 0x60 && $0.isASCIILetter }), let prefix = Hex.decode(opaque)
    else { return nil }
    return try await tokens.find(digestPrefix: prefix, userID: user.id, now: clock())
  }

  /// As many bytes of a token's digest as other responses have in their ETags.
  private static let etagBytes = 16

  /// The tag stands for the token, since each response has another one.
  private static func etag(of token: Token) -> ETag {
    ETag(Hex.encode(token.digest.prefix(etagBytes)))
  }
}
