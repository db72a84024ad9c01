import HTTPMessages
import Platform

/// The turns in which passwords are hashed: sign-ups must not hold up sign-ins, nor one client the others.
struct HashTurns: Sendable {
  let proxies: TrustedProxies

  private enum Kind: Int {
    case check, signup
  }

  /// The turn of a request that checks a user's password.
  func check(_ request: Request, of userID: Int64) -> Turn {
    Turn(kind: Kind.check.rawValue, client: Client.number(of: request, trusting: proxies, orOf: userID))
  }

  func signup(_ request: Request) -> Turn {
    Turn(kind: Kind.signup.rawValue, client: Client.number(of: request, trusting: proxies))
  }
}
