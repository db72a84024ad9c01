import Cryptography
import HTTPMessages

extension Application {
  /// `GET /api/get_token`: a token for the user of `email`. As the original had it, who knows the API's
  /// password needs no other; the owner may ask for the user's encrypted `password` too.
  func getToken(_ call: Call) async throws -> Response {
    try authentication.requireBasic(call.request)
    let parameters = try await parameters(of: call)
    guard settings.getToken != .off else {
      throw APIError(
        .forbidden, "get_token is switched off on this server. Sign in with the password instead.",
        reason: "get_token_off")
    }
    guard parameters["email"].isPresent else { throw APIError.parametersMissing }
    let password = try requestedPassword(parameters)
    guard let email = try parameters.key("email"), let user = try users.find(email: email) else {
      throw Self.noUserRecord
    }
    if let password { try await check(password, of: user, by: loginThrottle.attempt(by: call.request, on: email)) }
    if let known = try knownToken(call.request, user: user) {
      return notModified(Self.quoted(Self.tokenTag(known)))
    }
    let issued = makeToken(for: user.id)
    guard try await tokens.insert(issued.token, of: user, checkedPassword: password != nil) else {
      throw password == nil ? Self.noUserRecord : Self.wrongPassword
    }
    let json = JSONWriter.object { json in
      json.member("api_authtoken", issued.letters)
      json.member("authtoken_expiry", time: issued.token.expiresAt)
    }
    return success(json, for: call.request, etag: Self.tokenTag(issued.token), isConditional: false)
  }

  private static let noUserRecord = APIError(
    .badRequest, "No user record found for this email ID", reason: "unknown_email")

  /// The password, where the owner asks for it.
  private func requestedPassword(_ parameters: Parameters) throws -> PasswordText? {
    guard settings.getToken == .password else { return nil }
    guard let password = parameters["password"], password.isPresent else { throw APIError.parametersMissing }
    return try PasswordText(password)
  }

  /// The live token of which the client still has the answer: the tag of an answer is the beginning
  /// of its token's digest.
  private func knownToken(_ request: Request, user: User) throws -> Token? {
    guard let tag = request.head.fields[.ifNoneMatch], request.head.fields[.ifModifiedSince] == nil,
      let prefix = Self.bytes(ofTag: tag)
    else { return nil }
    return try tokens.find(digestPrefix: prefix, userID: user.id, now: clock())
  }

  private static let tagBytes = 16

  private static func tokenTag(_ token: Token) -> [UInt8] {
    Digest.hexDigits(token.digest.prefix(tagBytes))
  }

  private static func bytes(ofTag tag: ArraySlice<UInt8>) -> [UInt8]? {
    guard tag.count == 2 * tagBytes + 2, tag.first == UInt8(ascii: "\""), tag.last == UInt8(ascii: "\"") else {
      return nil
    }
    let nibbles = tag.dropFirst().dropLast().map { digit -> UInt8? in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
      default: nil
      }
    }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: nibbles.count - 1, by: 2) {
      guard let high = nibbles[index], let low = nibbles[index + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
