import Platform

/// The accounts whose passwords this process is trying, and how many of those attempts have failed meanwhile.
///
/// A database that processes share is asked when an attempt begins, which may wait for its hash for a long time. What
/// fails in the meantime is counted here. So many guesses at once are no way around the limit.
final class AttemptsUnderWay: Sendable {
  private struct Account {
    var attempts = 0
    var failures = 0
    /// Failures that the database has counted too.
    var sharedFailures = 0
  }

  /// By key, as long as one of its attempts is under way.
  private let accounts = Monitor<[[UInt8]: Account]>([:])

  /// Begins an attempt; to be called before the database is asked.
  func begin(_ key: [UInt8]) -> AttemptUnderWay {
    let known = accounts.withLock { accounts in
      accounts[key, default: Account()].attempts += 1
      return accounts[key]?.sharedFailures ?? 0
    }
    return AttemptUnderWay(key: key, knownFailures: known, all: self)
  }

  fileprivate func failures(of key: [UInt8]) -> Int {
    accounts.withLock { $0[key]?.failures ?? 0 }
  }

  fileprivate func noteFailure(of key: [UInt8]) {
    accounts.withLock { $0[key]?.failures += 1 }
  }

  fileprivate func noteSharedFailure(of key: [UInt8]) {
    accounts.withLock { $0[key]?.sharedFailures += 1 }
  }

  fileprivate func end(_ key: [UInt8]) {
    accounts.withLock { accounts in
      guard var account = accounts[key] else { return }
      account.attempts -= 1
      accounts[key] = account.attempts > 0 ? account : nil
    }
  }
}

/// An attempt at the password of an account. It ends with the last reference to it.
final class AttemptUnderWay: Sendable {
  private let key: [UInt8]
  /// Those that the database knew for certain when it was asked.
  private let knownFailures: Int
  private let all: AttemptsUnderWay

  fileprivate init(key: [UInt8], knownFailures: Int, all: AttemptsUnderWay) {
    self.key = key
    self.knownFailures = knownFailures
    self.all = all
  }

  deinit { all.end(key) }

  /// How many attempts have failed here that the database may not have counted when it was asked.
  var failuresSince: Int { all.failures(of: key) - knownFailures }

  /// Notes that this attempt has failed.
  func noteFailure() { all.noteFailure(of: key) }

  /// Notes that the database has counted its failure.
  func noteSharedFailure() { all.noteSharedFailure(of: key) }
}
