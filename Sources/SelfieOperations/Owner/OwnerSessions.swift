import Cryptography
package import HTTPMessages
import Platform
package import SelfieAPI
import Synchronization

/// The links that open the owner's page once, the sessions that they have begun, and the tickets of those for one
/// download each. All of them end with the server. Only their digests are kept. `PageAccess` has the cookie.
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
  enum Kind {
    case link, session, ticket

    fileprivate var lifetime: Int64 {
      switch self {
      case .link: linkLifetime
      case .session: sessionLifetime
      case .ticket: ticketLifetime
      }
    }

    fileprivate var maxCount: Int { self == .session ? maxSessions : maxLinks }
  }

  private struct Secret {
    let kind: Kind
    let digest: [UInt8]
    let end: Int64
  }

  private struct State {
    /// The oldest first.
    var secrets: [Secret] = []
    var failures = SlidingWindow(maxEvents: maxFailures, window: failureWindow, maxKeys: 1)
  }

  /// Where the server is, as a browser on the owner's machine finds it; without a slash at the end.
  let address: String
  /// Whether a link leads to the inspector of a test server, which then takes the session, and not to the owner's page.
  let opensInspector: Bool
  private let state = Monitor(State())
  /// When the last link and the last session end; 0 if there are none.
  private let lastEnd = Atomic<Int64>(0)
  private let clock: @Sendable () -> Int64

  /// - Parameter clock: a time that never goes back; the system's if nil.
  package init(address: String, opensInspector: Bool = false, clock: (@Sendable () -> Int64)? = nil) {
    self.address = address
    self.opensInspector = opensInspector
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

  /// Whether a request to the inspector has the cookie of a session.
  package func mayInspect(_ request: Request, _ settings: APISettings) -> Bool {
    guard opensInspector, isOn, let cookie = try? PageAccess.of(request, settings).cookie(of: request) else {
      return false
    }
    return isSession(cookie)
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
    _ body: (inout State, _ now: Int64) throws -> Result
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
    let others = secrets.indices.filter { secrets[$0].kind == kind }
    if let oldest = others.first, others.count >= kind.maxCount { secrets.remove(at: oldest) }
    secrets.append(Secret(kind: kind, digest: Digest.sha256(Array(secret.utf8)), end: now &+ kind.lifetime))
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
