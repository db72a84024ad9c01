import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

// The owner's commands about users. `UserStore` in SelfieAPI has the queries, and `Accounts` in SelfieAPI the
// rules.
extension OwnerConsole {
  func users(_ search: String, _ limit: Int64) async throws -> OwnerReply {
    guard !search.hasNUL else { throw APIError(.badRequest, "A search cannot contain a NUL character.") }
    // SQLite refuses patterns of 50,000 bytes.
    guard search.utf8.count <= 1000 else { throw APIError(.badRequest, "A search can have at most 1,000 bytes.") }
    return try await list(
      limit, UserStore.summaries(matching: search, max: limit, now: application.clock()),
      total: UserStore.count(matching: search), UserView.init)
  }

  func similarEmails() async throws -> OwnerReply {
    let emails: [SimilarEmails] = try await all(UserStore.similarEmails)
    return try OwnerReply(of: emails.map { SimilarEmailsView(message: "\($0)") })
  }

  func user(_ email: String) async throws -> OwnerReply {
    let query = UserStore.summary(of: email, now: application.clock())
    let user = email.hasNUL ? nil : try await all(query, as: UserSummary.self).first
    let summary = try await found(user, email)
    return try OwnerReply(
      of: UserDetails(
        user: UserView(summary), maxPhotos: Int64(application.settings.maxPhotos), quota: application.settings.userQuota
      ))
  }

  func createUser(_ email: String, _ fullName: String, _ password: String) async throws -> OwnerReply {
    let known = email.hasNUL ? nil : try await application.users.find(email: email)
    guard known == nil else {
      throw APIError(.badRequest, "There is already a user with this email address.")
    }
    let user = try await application.accounts.make(
      FullName(fullName), email: email, password: Array(password.utf8)
    ) { try await application.passwords.hash($0) }
    log("user create", user)
    return try OwnerReply("\(email) can sign in now.", of: UserView(UserSummary(user: user)))
  }

  func deleteUser(_ email: String) async throws -> OwnerReply {
    let now = application.clock()
    // An upload of the user's that has its file and not yet its row is finished before, or refused after.
    let removed = try await application.photos.lock.withShared {
      try await found(application.users.remove(email: email, now: now), email)
    }
    log("user delete", removed.user, counts: ["photos": removed.photos])
    // From here on the photos cannot be seen, and a crash leaves the files to the next start.
    try await application.photos.purgeDeleted()
    return try OwnerReply("\(email) is deleted.", of: UserView(removed))
  }

  func setPassword(of email: String, _ password: String) async throws -> OwnerReply {
    let password = try Accounts.newPassword(Array(password.utf8))
    // Before the hash, which takes a quarter of a second.
    try await requireUser(email)
    let hash = try await application.passwords.hash(password)
    let changed = try await found(
      application.users.replacePassword(of: email, by: hash, now: application.clock()), email)
    application.forgetFailures(of: changed.user)
    log("user set-password", changed.user, counts: ["tokens": changed.count])
    return try OwnerReply(
      "\(email) has a new password, and \(counted(changed.count, "token")) ended.",
      of: EndedTokensView(email: changed.user.email, tokens: changed.count))
  }

  func signOut(_ email: String) async throws -> OwnerReply {
    let ended = try await found(application.users.endTokens(of: email, now: application.clock()), email)
    log("user sign-out", ended.user, counts: ["tokens": ended.count])
    return try OwnerReply(
      "\(counted(ended.count, "token")) of \(email) ended.",
      of: EndedTokensView(email: ended.user.email, tokens: ended.count))
  }

  /// - Parameter time: nil to enable the user again.
  func setDisabled(_ command: String, at time: Int64?, _ email: String) async throws -> OwnerReply {
    let user = try await found(application.users.setDisabled(at: time, of: email), email)
    log(command, user)
    return try OwnerReply(
      "\(email) is \(time == nil ? "enabled" : "disabled").",
      of: UserAccess(email: user.email, disabledAt: user.disabledAt.map(Timestamp.text)))
  }

  private func log(_ command: String, _ user: User, counts: [String: Int64] = [:]) {
    application.securityLog.log(
      ownersCommand: command, ["user": SecurityLog.masked(user.email)],
      numbers: counts.merging(["user_id": user.id]) { $1 })
  }

  /// - Throws: 404 if there is no user of this address. It names one that differs in its case only, or in two letters.
  func found<Value>(_ value: Value?, _ email: String) async throws -> Value {
    if let value { return value }
    var similar: [String] = email.hasNUL ? [] : try await all(UserStore.emails(like: email))
    if similar.isEmpty, !email.hasNUL, email.utf8.count <= Self.maxComparedBytes {
      let candidates: [String] = try await all(UserStore.emails(asLongAs: email, max: Self.maxCompared))
      similar = email.nearest(among: candidates, within: { _ in 2 }).map { [$0] } ?? []
    }
    let remedy =
      similar.first.map { "Did you mean \($0)?" }
      ?? (email.contains("@")
        ? "Email addresses are case-sensitive." : "To find it by a name, run selfie-server user list.")
    throw APIError(.notFound, "There is no user with the email address \(email). \(remedy)")
  }

  /// Users, and the bytes of an address that are compared at most.
  private static var maxCompared: Int64 { 5000 }
  private static var maxComparedBytes: Int { 64 }
}
