import HTTPMessages
import SQLite
import SelfieAPI

/// What the token of a request was when the request arrived. The token itself is a secret.
public struct RecordedToken: Sendable, Equatable {
  public enum State: String, Sendable {
    case valid, expired
    /// Another token was given for it.
    case refreshed
    /// No user has it, or not any more.
    case unknown
  }

  public let state: State
  /// Whose token it is; nil if it is unknown.
  public let email: String?
  /// In unix milliseconds.
  public let expiresAt: Int64?
}

extension RecordedToken {
  /// - Parameter now: by the world's clock.
  /// - Returns: nil if the request has no token.
  init?(of request: Request, in database: Database, now: Int64) {
    guard case .token(let letters)? = request.head.fields[.authorization].flatMap(Authorization.parse) else {
      return nil
    }
    let digest = Token.digest(of: Array(letters))
    let found = try? database.read { connection in
      try connection.first(TokenStore.token(digest: digest), as: Token.self).map { token in
        (token, try UserStore.find(id: token.userID, on: connection)?.email)
      }
    }
    email = found?.1
    expiresAt = found?.0.expiresAt
    state =
      switch found?.0 {
      case nil: .unknown
      case let token? where token.refreshedAt != nil: .refreshed
      case let token?: token.isLive(at: now) ? .valid : .expired
      }
  }
}
