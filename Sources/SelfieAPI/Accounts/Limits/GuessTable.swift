import Cryptography
import SQL

/// The table `guesses` of a shared database: when somebody has tried something, by a keyed hash of who it was.
///
/// Nobody can read email addresses and clients' addresses in it. A hash without a key would not keep them secret, since
/// all IPv4 addresses can be tried in a minute. The key follows from the API's password, because all processes that share
/// the database must have the same, and every one of them has it in its settings. While a new password is being given to
/// one process after the other, those with the old one count by themselves. The password is in the apps as well, so the
/// hashes protect from who sees the table, not from who also takes an app apart; and no row is kept for long.
struct GuessTable: Sendable {
  /// Whom an attempt is counted for.
  struct Key: Sendable {
    let digest: [UInt8]
    /// Attempts within the window after which the next one has to wait.
    let max: Int
  }

  struct Keys: Sendable {
    let account: Key?
    /// From the client's narrowest group to the widest.
    let clients: [Key]

    /// The account's, and one for each breadth of group: as many as the statements have parameters.
    var all: [Key?] {
      [account] + (0..<Self.maxClients).map { $0 < clients.count ? clients[$0] : nil }
    }

    private static let maxClients = Client.Group.Breadth.allCases.count
  }

  let database: SharedDatabase
  private let secret: [UInt8]

  init(in database: SharedDatabase, apiPassword: String) {
    self.database = database
    secret = Digest.hmacSHA256(Array("guesses".utf8), key: Array(apiPassword.utf8))
  }

  func digest(_ name: String) -> [UInt8] {
    Digest.hmacSHA256(Array(name.utf8), key: secret)
  }

  /// Forgets those of whom nobody counts an attempt any more.
  func prune() async throws {
    while try await removeThousand(olderThan: max(LoginThrottle.window, SignupThrottle.window)) > 0 {}
  }
}
