import HTTPMessages
import Platform
import SelfieAPI

extension OwnerInterface {
  /// `GET /users`: the users by their email addresses, from the first one after the address `after`; with `search`, only
  /// those who have it in their address or name.
  func listUsers(_ call: OwnerCall) async throws -> Response {
    let (search, after) = (try call.parameter("search") ?? "", try call.parameter("after") ?? "")
    guard !search.hasNUL, !after.hasNUL else { throw APIError(.badRequest, "No address and no name has a NUL.") }
    return try await list(
      UserStore.summaries(matching: search, after: after, max: try call.limit(), now: application.clock()),
      total: UserStore.count(matching: search), of: UserSummary.self
    ) { $0.members(of: $1) }
  }

  /// `GET /similar-emails`: a sentence for each address that several accounts have, but for its case.
  func listSimilarEmails(_ call: OwnerCall) async throws -> Response {
    try await list(UserStore.similarEmails, of: SimilarEmails.self) { $0.member("message", "\($1)") }
  }

  /// `GET /users/EMAIL`.
  func showUser(_ call: OwnerCall) async throws -> Response {
    let query = UserStore.summary(of: call.name, now: application.clock())
    guard !call.name.hasNUL, let user = try await application.first(query, as: UserSummary.self) else {
      throw Self.noUser(call.name)
    }
    return .owner(JSONWriter.object { $0.members(of: user) })
  }

  /// `POST /users`: makes an account of `email`, `full_name` and `password`, by the rules of sign-ups.
  func createUser(_ call: OwnerCall) async throws -> Response {
    let texts = try await call.texts()
    let user = try await application.makeAccount(
      words: Application.words(texts["full_name"] ?? ""), email: texts["email"] ?? "",
      password: texts["password"].map { Array($0.utf8) }
    ) { try await application.passwords.hash($0) }
    log("user create", user)
    return .owner(JSONWriter.object { $0.members(of: UserSummary(user: user)) })
  }

  /// `DELETE /users/EMAIL`: deletes a user with everything that is the user's. Its response tells what that was.
  func deleteUser(_ call: OwnerCall) async throws -> Response {
    let (email, now) = (call.name, application.clock())
    // An upload of the user's that has its file and not yet its row is finished before, or refused after.
    let removed = try await application.photos.lock.withShared {
      try await application.users.remove(email: email, now: now)
    }
    guard let removed else { throw Self.noUser(email) }
    log("user delete", removed.user, counts: ["photos": removed.photos])
    // From here on nobody can see the photos, and a crash leaves the files to the next start.
    try await application.photos.purgeDeleted()
    return .owner(JSONWriter.object { $0.members(of: removed) })
  }

  /// `PUT /users/EMAIL/password`: replaces the password by `password`, and ends the user's tokens.
  func setPassword(_ call: OwnerCall) async throws -> Response {
    let email = call.name
    let password = try Application.newPassword(try await call.texts()["password"].map { Array($0.utf8) })
    // Before the hash, which takes a quarter of a second.
    try await requireUser(email)
    let hash = try await application.passwords.hash(password)
    let changed = try await application.users.replacePassword(of: email, by: hash, now: application.clock())
    guard let changed else { throw Self.noUser(email) }
    application.forgetFailures(of: changed.user)
    return done("user set-password", changed)
  }

  /// `DELETE /users/EMAIL/tokens`: ends the user's tokens.
  func signOut(_ call: OwnerCall) async throws -> Response {
    guard let ended = try await application.users.endTokens(of: call.name, now: application.clock()) else {
      throw Self.noUser(call.name)
    }
    return done("user sign-out", ended)
  }

  /// `PUT /users/EMAIL/disabled`: the user cannot sign in any more, and the tokens that are out are refused.
  func disable(_ call: OwnerCall) async throws -> Response {
    try await setDisabled("user disable", at: application.clock(), of: call.name)
  }

  /// `DELETE /users/EMAIL/disabled`: everything is as before.
  func enable(_ call: OwnerCall) async throws -> Response {
    try await setDisabled("user enable", at: nil, of: call.name)
  }

  private func setDisabled(_ command: String, at time: Int64?, of email: String) async throws -> Response {
    guard let user = try await application.users.setDisabled(at: time, of: email) else { throw Self.noUser(email) }
    log(command, user)
    return .owner(
      JSONWriter.object { json in
        json.member("email", user.email)
        json.member("disabled_at", time: user.disabledAt)
      })
  }

  private func done(_ command: String, _ change: (user: User, tokens: Int64)) -> Response {
    log(command, change.user, counts: ["tokens": change.tokens])
    return .owner(
      JSONWriter.object { json in
        json.member("email", change.user.email)
        json.member("tokens", change.tokens)
      })
  }

  private func log(_ command: String, _ user: User, counts: [String: Int64] = [:]) {
    application.securityLog.log(
      ownersCommand: command, ["user": SecurityLog.masked(user.email)],
      numbers: counts.merging(["user_id": user.id]) { $1 })
  }

  static func noUser(_ email: String) -> APIError {
    APIError(.notFound, "There is no user with the email \(email). Emails are compared to the letter.")
  }
}

extension JSONWriter {
  mutating func members(of summary: UserSummary) {
    let user = summary.user
    member("id", user.id)
    member("email", user.email)
    member("first_name", user.firstName)
    member("last_name", user.lastName)
    member("photos", summary.photos)
    member("bytes", summary.photoBytes)
    member("notes", summary.notes)
    member("tokens", summary.tokens)
    member("created_at", time: user.createdAt)
    member("updated_at", time: user.updatedAt)
    member("disabled_at", time: user.disabledAt)
  }
}
