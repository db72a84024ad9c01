import HTTPMessages

/// A credential that a route asks for, and how to find it in a request. Finding it throws the response to a request
/// without it. Authentication.swift and NotesAuthentication.swift check it.
struct Credential<Value: Sendable>: Sendable {
  /// What it is, beginning with the scheme: for those who send another one. Nil: none is asked for.
  let name: String?
  let find: @Sendable (Application, Call) async throws -> Value
}

// The original's `before_filter`s, and what its sister apps and refresh_token ask for.

extension Credential<Void> {
  /// Anybody may send the request.
  static var none: Credential { .init(name: nil) { _, _ in } }
}

extension Credential {
  /// The API's name and password, by HTTP Basic.
  static var apiPassword: Credential<APIPassword> {
    .init(name: "Basic with the API's name and password") { try $0.requireAPIPassword($1) }
  }
  /// A token, which may have expired: each endpoint has words of its own for that.
  static var token: Credential<Token> { .init(name: tokenName) { try await $0.requireToken($1.request) } }
  static var tokenToClear: Credential<Token> { .init(name: tokenName) { try await $0.requireTokenToClear($1.request) } }
  /// A token that can be refreshed, or was refreshed before.
  static var refreshable: Credential<Token> { .init(name: tokenName) { try await $0.requireRefreshable($1.request) } }
  /// The email address and the password of a user, by HTTP Basic.
  static var notesUser: Credential<User> {
    .init(name: "Basic with the user's email address and password") { try await $0.requireNotesUser($1) }
  }

  private static var tokenName: String { "Token token=<the api_authtoken of a sign-in>" }
}
