import Cryptography
import HTTPMessages
import SQL

// The endpoints of accounts and logins. MicroblogCookie.swift finds the session of a request.
extension Application {
  /// `POST /users/register`: makes an account of `name` and `password`.
  func registerMicroblogUser(_ call: Call) async throws -> Response {
    try settings.signup.requireOpen()
    let (name, password) = try Self.microblogCredentials(await call.parameters())
    let flow = try limits.countSignup(by: call)
    if let problem = MicroblogUser.problem(name: name) ?? MicroblogUser.problem(password: password) {
      throw APIError(.badRequest, problem)
    }
    guard try await microblogUsers.find(name: name) == nil else { throw Refusal.accountExists }
    let user = MicroblogUser(
      name: name, passwordHash: try await passwords.hash(password, flow: flow),
      createdAt: clock())
    securityLog.log(.newAccount, by: call, on: .microblogUser(try await microblogUsers.insert(user)))
    return Self.microblogSuccess
  }

  /// `POST /users/login`: begins a session for `name` and `password`, in the cookie `auth_tkt`.
  func loginMicroblogUser(_ call: Call) async throws -> Response {
    try requireOwnPage(call.request)
    let (name, password) = try Self.microblogCredentials(await call.parameters())
    let found = try await microblogUsers.find(name: name)
    let attempt = limits.attempt(by: call, on: .account(found.map { .microblogUser($0.id) }, named: name))
    let isRight = try await passwords.isRight(password, hash: found?.passwordHash, by: attempt)
    guard let user = found, isRight else { throw Self.microblogLoginFailed }
    let (letters, now) = (random.letters(MicroblogSession.cookieLength), clock())
    let session = MicroblogSession(
      digest: MicroblogSession.digest(of: Array(letters.utf8)), userID: user.id, createdAt: now, usedAt: now)
    guard try await microblogSessions.insert(session, of: user) else {
      throw Self.microblogLoginFailed
    }
    var response = Self.microblogSuccess
    response.fields.append("Set-Cookie", sessionCookie(letters))
    return response
  }

  /// `POST /users/logout`: ends the session of the request, if there is one.
  func logoutMicroblogUser(_ call: Call) async throws -> Response {
    try requireOwnPage(call.request)
    if let session = try await microblogSession(of: call.request) {
      try await microblogSessions.remove(digest: session.digest)
      securityLog.log(.signedOut, by: call, on: .microblogUser(session.userID))
    }
    var response = Self.microblogSuccess
    response.fields.append("Set-Cookie", sessionCookie("") + "; Max-Age=0")
    return response
  }

  /// `GET /users`: the names of all users, in their order: a thousand, or `limit`, after the name `after`.
  func listMicroblogUsers(_ call: Call) async throws -> Response {
    let session = try await requireMicroblogSession(call.request)
    let parameters = try await call.parameters()
    let list = MicroblogUserList(start: try parameters.optionalText("after") ?? "", maxCount: try parameters.limit())
    return try await response(with: list, to: call, by: session.userID)
  }

  private static func microblogCredentials(_ parameters: Parameters) throws -> (name: String, password: [UInt8]) {
    (try parameters.text("name"), Array(try parameters.text("password").utf8))
  }

  private static let microblogSuccess = Response(
    status: .ok,
    fields: .uncachedJSON,
    body: .bytes(JSONWriter.object { $0.member("status", "success") }))

  private static let microblogLoginFailed = APIError(
    .unauthorized, "Wrong name or password.", reason: .wrongPassword)
}

/// The response of `GET /users`.
private struct MicroblogUserList: RowList {
  static let opening: StaticString = #"{"data":{"users":["#
  static let closing: StaticString = "]}}"

  let start: String
  let maxCount: Int64

  func rows(after name: String, max: Int64) -> Query { MicroblogUserStore.names(after: name, max: max) }

  var version: Query { MicroblogUserStore.version(after: start, max: maxCount) }

  func write(_ row: borrowing some RowReader & ~Copyable, to json: inout JSONWriter) -> String {
    let name: String = row["name"]
    json.object { $0.member("name", name) }
    return name
  }
}
