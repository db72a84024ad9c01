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

  private typealias Secret = (digest: [UInt8], end: Int64)

  private struct State {
    var links: [Secret] = []
    var sessions: [Secret] = []
    var tickets: [Secret] = []
    var failures = SlidingWindow(maxEvents: maxFailures, window: failureWindow, maxKeys: 1)
  }

  /// Where the page is, as a browser on the owner's machine finds it; without a slash at the end.
  let address: String
  private let state = Monitor(State())
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

  /// Makes a link, and returns its secret.
  package func makeLink() -> String {
    change { state, now in Self.add(to: &state.links, max: Self.maxLinks, end: now &+ Self.linkLifetime) }
  }

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
      guard Self.take(link, from: &state.links) else {
        state.failures.record(0, now: now)
        throw wait > 0 ? APIError.tooMany("wrong links", wait: wait, reason: .tooManyAttempts) : Self.wrongLink
      }
      return Self.add(to: &state.sessions, max: Self.maxSessions, end: now &+ Self.sessionLifetime)
    }
  }

  private static let wrongLink = APIError(
    .unauthorized, "This link was used before, or has expired. For a new one, run \(Installation.command) owner.")

  package func isSession(_ secret: String) -> Bool {
    change { state, _ in Self.index(of: secret, in: state.sessions) != nil }
  }

  package func end(_ secret: String) { change { state, _ in _ = Self.take(secret, from: &state.sessions) } }

  func makeTicket() -> String {
    change { state, now in Self.add(to: &state.tickets, max: Self.maxLinks, end: now &+ Self.ticketLifetime) }
  }

  /// Whether there is such a ticket, which is used up.
  func take(ticket: String) -> Bool {
    change { state, _ in Self.take(ticket, from: &state.tickets) }
  }

  /// Ends all sessions and links. Returns how many sessions there were.
  package func endAll() -> Int {
    change { state, _ in
      defer { (state.links, state.sessions, state.tickets) = ([], [], []) }
      return state.sessions.count
    }
  }

  /// Runs `body` after everything that has expired is gone.
  private func change<Result>(_ body: (inout State, _ now: Int64) throws -> Result) rethrows -> Result {
    try state.withLock { state in
      let now = clock()
      state.links.removeAll { $0.end <= now }
      state.sessions.removeAll { $0.end <= now }
      state.tickets.removeAll { $0.end <= now }
      defer { lastEnd.store((state.links + state.sessions).map(\.end).max() ?? 0, ordering: .relaxed) }
      return try body(&state, now)
    }
  }

  private static func add(to secrets: inout [Secret], max: Int, end: Int64) -> String {
    let secret = Digest.hex(RandomSource.system.bytes(32))
    if secrets.count >= max { secrets.removeFirst() }
    secrets.append((Digest.sha256(Array(secret.utf8)), end))
    return secret
  }

  /// Whether there is such a secret, which is used up.
  private static func take(_ secret: String, from secrets: inout [Secret]) -> Bool {
    guard let index = index(of: secret, in: secrets) else { return false }
    secrets.remove(at: index)
    return true
  }

  /// Looks at all of them, so that its time does not depend on which one it is.
  private static func index(of secret: String, in secrets: [Secret]) -> Int? {
    let digest = Digest.sha256(Array(secret.utf8))
    return secrets.indices.filter { constantTimeEqual(secrets[$0].digest, digest) }.first
  }
}
