package import HTTPMessages
import Platform
package import SelfieAPI

/// Who may use the control interface. `AttemptLimits` in SelfieAPI limits guesses of the API's passwords.
package struct ControlAccess: Sendable {
  /// Whether the server keeps nothing, so that programs on its machine need no credentials.
  ///
  /// A server that keeps data always asks for credentials: a proxy on its machine need not say that it has forwarded a
  /// request, which then looks like one of a program on the machine.
  let isEphemeral: Bool
  /// Nil if no credentials help.
  private let credentials: BasicCredentials?
  /// The times of the latest wrong guesses from all addresses together: a table of addresses could be flushed from many of
  /// them, and behind a proxy all clients have the same one. Nil if the owner has switched the limit off.
  private let failures: Monitor<SlidingWindow>?
  private let clock: @Sendable () -> Int64
  /// Whether a request has another right to use it: a session that a link of the owner's has begun.
  private var isOwners: @Sendable (Request) -> Bool = { _ in false }

  /// - Parameters:
  ///   - credentials: of HTTP Basic. The API has other ones, which are in every copy of the app.
  ///   - limitsGuesses: whether to refuse further guesses after some wrong ones.
  ///   - clock: a time in milliseconds that never goes back.
  package init(
    isEphemeral: Bool, credentials: BasicCredentials?, limitsGuesses: Bool = true,
    clock: @escaping @Sendable () -> Int64 = monotonicMilliseconds
  ) {
    self.isEphemeral = isEphemeral
    self.credentials = credentials
    self.clock = clock
    failures =
      limitsGuesses
      ? Monitor(
        SlidingWindow(maxEvents: AttemptCounts.maxFailures, window: AttemptCounts.failureWindow, maxKeys: 1))
      : nil
  }

  package mutating func open(to isOwners: @escaping @Sendable (Request) -> Bool) { self.isOwners = isOwners }

  /// Throws unless the client is a program on the machine of an ephemeral server or the owner's browser, or sends the right
  /// credentials.
  ///
  /// Pages of other sites are refused even with credentials: a browser sends the credentials in a URL that a page links
  /// to.
  func check(_ request: Request, publicURL: String?) throws(ControlError) {
    guard !request.isFromForeignPage(of: publicURL) else {
      throw ControlError(.forbidden, "The control interface does not accept requests from web pages of other sites.")
    }
    if isEphemeral && request.isLocal || isOwners(request) { return }
    guard let credentials, case .basic(let encoded)? = request.head.fields[.authorization].flatMap(Authorization.parse),
      try isGuess({ credentials.match(encoded) })
    else { throw .unauthorized(realm: "Control interface", Self.denied) }
  }

  private func isGuess(_ isRight: () -> Bool) throws(ControlError) -> Bool {
    guard let failures else { return isRight() }
    return try failures.withLock { (failures) throws(ControlError) in
      let now = clock()
      let seconds = (failures.wait(for: 0, now: now) + 999) / 1000
      guard seconds == 0 else {
        throw ControlError(
          .tooManyRequests, "Too many wrong credentials. Try again in \(seconds) seconds.",
          fieldLines: "Retry-After: \(seconds)\r\n")
      }
      let isRight = isRight()
      if !isRight { failures.record(0, now: now) }
      return isRight
    }
  }

  private static let denied = """
    The control interface asks for its own name and password by HTTP Basic: CONTROL_NAME and CONTROL_PASSWORD, or those \
    that the server has written to standard output and to its ready file. Only programs on the machine of a server that \
    keeps nothing need none. They must ask for localhost or 127.0.0.1, and not through a proxy.
    """
}

extension ControlError {
  /// - Parameter realm: for which to ask for credentials, since some clients send theirs only then (RFC 9110 §11.6.1).
  static func unauthorized(realm: String, _ message: String) -> ControlError {
    ControlError(.unauthorized, message, fieldLines: "WWW-Authenticate: Basic realm=\"\(realm)\"\r\n")
  }
}
