/// Which tokens can be refreshed. Each is access token and refresh token in one, and a refresh replaces it (RFC 9700
/// §4.14.2). `TokenStore` carries out a refresh.
struct RefreshPolicy: Sendable {
  static let defaultSeconds: Int64 = 30 * 86_400

  /// How long after its first refresh a token can be refreshed again, in milliseconds. An app without a lock that sends
  /// five requests at once meets five times 401, and refreshes five times with one token.
  static let window: Int64 = 60_000

  /// How long after its end a token can be refreshed.
  let seconds: Int64
  var lifetime: Int64 { seconds &* 1000 }

  /// Why a token cannot be refreshed; nil if it can.
  func refusal(of token: Token, now: Int64) -> TokenStore.Refresh? {
    guard !token.family.isEmpty else { return .denied }
    if let refreshedAt = token.refreshedAt { return now &- refreshedAt < Self.window ? nil : .reused }
    return now &- token.end <= lifetime ? nil : .denied
  }
}
