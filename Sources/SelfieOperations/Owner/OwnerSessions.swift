import Cryptography
import HTTPMessages
import Platform
import SelfieAPI
import Synchronization

/// The links that open the owner's page once, the sessions that they have begun, and the tickets of those for one download
/// each. All of them end with the server. Only their digests are kept.
package final class OwnerSessions: Sendable {
  /// In milliseconds, as all times here.
  package static let linkLifetime: Int64 = 5 * 60_000
  package static let sessionLifetime: Int64 = 12 * 3_600_000
  static let ticketLifetime: Int64 = 60_000
  /// An owner needs one. The oldest goes where there are more, of sessions too.
  static let maxLinks = 4
  static let maxSessions = 8
  /// Wrong links within the window after which others are told to wait.
  static let maxFailures = 10
  static let failureWindow: Int64 = 60_000

  /// What a secret is for.
  enum Kind { case link, session, ticket }

  private typealias Secret = (kind: Kind, digest: [UInt8], end: Int64)

  /// Where the page is, as a browser on the owner's machine finds it; without a slash at the end.
  let address: String
  /// The oldest secrets first.
  private let state = Monitor<(secrets: [Secret], failures: SlidingWindow)>(
    ([], SlidingWindow(maxEvents: maxFailures, window: failureWindow, maxKeys: 1)))
  /// When the last link and the last session end; 0 if there are none.
  private let lastEnd = Atomic<Int64>(0)
  private let clock: @Sendable () -> Int64

  /// - Parameter clock: a time that never goes back; the system's if nil.
  package init(address: String, clock: (@Sendable () -> Int64)? = nil) {
    self.address = address
    self.clock = clock ?? monotonicMilliseconds
  }

  /// Whether there is a link or a session. The page does not exist otherwise. Costs next to nothing.
  package var isOn: Bool {
    let end = lastEnd.load(ordering: .relaxed)
    return end != 0 && clock() < end
  }

  /// Returns a new secret.
  func make(_ kind: Kind) -> String { change { state, now in Self.add(kind, to: &state.secrets, now) } }

  /// Begins a session by a link, which is used up.
  ///
  /// The right link is taken however many wrong ones there were: 256 bits cannot be guessed, and a flood of guesses must
  /// not keep the owner out.
  ///
  /// - Returns: the secret of a new session.
  /// - Throws: 401 for a wrong link, and 429 after too many.
  func begin(link: String) throws -> String {
    try change { state, now in
      let wait = state.failures.wait(for: 0, now: now)
      guard Self.take(.link, link, from: &state.secrets) else {
        state.failures.record(0, now: now)
        throw wait > 0 ? APIError.tooMany("wrong links", wait: wait, reason: .tooManyAttempts) : Self.wrongLink
      }
      return Self.add(.session, to: &state.secrets, now)
    }
  }

  private static let wrongLink = APIError(
    .unauthorized, "This link was used before, or has expired. For a new one, run \(Installation.command) owner.")

  func isSession(_ secret: String) -> Bool {
    change { state, _ in Self.index(of: .session, secret, in: state.secrets) != nil }
  }

  /// Whether there is such a secret, which is used up.
  func take(_ kind: Kind, _ secret: String) -> Bool {
    change { state, _ in Self.take(kind, secret, from: &state.secrets) }
  }

  /// Ends all sessions and links. Returns how many sessions there were.
  func endAll() -> Int {
    change { state, _ in
      defer { state.secrets = [] }
      return state.secrets.count { $0.kind == .session }
    }
  }

  /// Runs `body` after everything that has expired is gone.
  private func change<Result>(
    _ body: (inout (secrets: [Secret], failures: SlidingWindow), _ now: Int64) throws -> Result
  ) rethrows -> Result {
    try state.withLock { state in
      let now = clock()
      state.secrets.removeAll { $0.end <= now }
      defer { lastEnd.store(state.secrets.filter { $0.kind != .ticket }.map(\.end).max() ?? 0, ordering: .relaxed) }
      return try body(&state, now)
    }
  }

  private static func add(_ kind: Kind, to secrets: inout [Secret], _ now: Int64) -> String {
    let secret = Digest.hex(RandomSource.system.bytes(32))
    let lifetime = [.link: linkLifetime, .session: sessionLifetime][kind] ?? ticketLifetime
    let others = secrets.indices.filter { secrets[$0].kind == kind }
    if let oldest = others.first, others.count >= (kind == .session ? maxSessions : maxLinks) {
      secrets.remove(at: oldest)
    }
    secrets.append((kind, Digest.sha256(Array(secret.utf8)), now &+ lifetime))
    return secret
  }

  private static func take(_ kind: Kind, _ secret: String, from secrets: inout [Secret]) -> Bool {
    guard let index = index(of: kind, secret, in: secrets) else { return false }
    secrets.remove(at: index)
    return true
  }

  /// Looks at all of them, so that its time does not depend on which one it is.
  private static func index(of kind: Kind, _ secret: String, in secrets: [Secret]) -> Int? {
    let digest = Digest.sha256(Array(secret.utf8))
    return secrets.indices.filter {
      constantTimeEqual(secrets[$0].digest, digest) && secrets[$0].kind == kind
    }.first
  }
}

/// How a browser may reach the owner's page, and the form of the page's cookie. Who has a session is known to
/// `OwnerSessions`.
package struct PageAccess: Sendable {
  let scheme: String
  let cookieName: StaticString
  let cookieAttributes: String

  /// A name with `__Host-` is safe from other hosts of the same domain (RFC 6265bis §4.1.3.2), but is for HTTPS only.
  private static let https = PageAccess(
    scheme: "https://", cookieName: "__Host-selfie-owner",
    cookieAttributes: "Path=/; Secure; HttpOnly; SameSite=Strict")
  /// Plain HTTP that the owner's browser sends to its own machine.
  private static let local = PageAccess(
    scheme: "http://", cookieName: "selfie-owner", cookieAttributes: "Path=/owner; HttpOnly; SameSite=Strict")

  /// Whether a browser can open the page at this address.
  package static func canOpen(at address: String) -> Bool {
    let parts = address.split(separator: "://", maxSplits: 1)
    guard parts.count == 2 else { return false }
    return parts[0] == "https" || parts[0] == "http" && String(parts[1].prefix { $0 != "/" }).isLoopbackHost
  }

  /// - Throws: 403 where the page's secrets could be read on the network.
  ///
  /// `Host` is what the owner's own browser says, which keeps its secrets on its machine if it is `localhost`. A client
  /// that lies has no secret to lose. A page of another site whose name resolves to 127.0.0.1 (DNS rebinding) names
  /// another host, and has no certificate for HTTPS.
  static func of(_ request: Request, _ settings: APISettings) throws(APIError) -> PageAccess {
    if settings.usesTLS { return https }
    // Each proxy of a chain may add the scheme of its own client. The first one's is the browser.
    let schemes = request.head.fields.all(.xForwardedProto).flatMap { $0.split(separator: UInt8(ascii: ",")) }
    let isHTTPS = schemes.map { $0.trimmed.equalsIgnoringCase("https") }
    if isHTTPS.first == true, settings.trustedProxies.contains(peerOf: request),
      isHTTPS.allSatisfy(\.self) || settings.trustedProxies.containAllHops(of: request)
    {
      return https
    }
    if request.isToLocalhost { return local }
    throw APIError(
      .forbidden,
      """
      The owner's page takes HTTPS only or, on the server's own machine, http://localhost. If proxies speak HTTPS for \
      the server, name all in TRUSTED_PROXIES, and make the first one send X-Forwarded-Proto: https.
      """)
  }

  /// - Throws: 403 unless the owner's page sent the request, which it says twice: by its origin, and by a field that a
  ///   page of another origin may not send without asking. Where a browser names the kind of site, that counts, too.
  func checkOrigin(of request: Request, _ settings: APISettings) throws(APIError) {
    let fields = request.head.fields
    let origins = fields.all(.origin)
    let isSameSite = fields.all(.secFetchSite).allSatisfy { $0.elementsEqual("same-origin".utf8) }
    guard origins.count == 1, let origin = origins.first?.asciiText, isOwn(origin, of: request, settings), isSameSite,
      fields[.ownerPage] != nil
    else { throw APIError(.forbidden, "Only the owner's page itself may send this request.") }
  }

  private func isOwn(_ origin: String, of request: Request, _ settings: APISettings) -> Bool {
    if let host = request.head.host, origin == scheme + String(decoding: host, as: UTF8.self) { return true }
    // A proxy may ask for another host than the browser did.
    guard scheme == "https://", let url = settings.publicURL, url.hasPrefix("https://") else { return false }
    return origin.isOrigin(of: url)
  }
}

extension FieldName {
  /// Sent by the owner's page with each request but those for its files.
  fileprivate static let ownerPage = FieldName("x-owner-page")
}
