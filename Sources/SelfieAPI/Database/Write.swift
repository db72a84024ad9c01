import SQL

/// What is written about one account, in one transaction: statements that run one after the other, without a look at
/// their rows in between. Each carries its conditions itself, so a database that is far away needs one round trip.
package struct Write: Sendable {
  /// The row that keeps other writes about the same account out; nil where none could be in the way.
  package let lock: WriteLock?
  /// Whether it also keeps out all other writes that depend on the bytes of all users.
  package let isAboutAllStorage: Bool
  /// Whether it may use the disk's reserve, since it makes room.
  package let makesRoom: Bool
  /// The statement whose rows say that the write is done; nil if there is nothing to decide.
  package let decisive: Query?
  /// The decisive statement in a shared database, where PostgreSQL takes another text; nil where it takes the same.
  package let sharedDecisive: Query?
  /// The statements behind the decisive one. They may run even if that has no rows, and must do no harm then.
  package let others: [Query]
  /// Other statements behind the decisive one in a shared database; nil where they are the same.
  package let sharedThen: [Query]?
  /// Asks why the decisive statement has no rows. Its own first row tells.
  package let reason: Query?
  /// Finds what the decisive statement has written, and returns what that does: for when a database did not answer, and
  /// nobody knows whether the write was done. It asks by a key that no other write has. Nil where the write may be run
  /// again instead.
  package let evidence: Query?

  /// A write that has conditions.
  package init(
    lock: WriteLock?, isAboutAllStorage: Bool = false, makesRoom: Bool = false, decisive: Query,
    sharedDecisive: Query? = nil, then others: [Query] = [], sharedThen: [Query]? = nil, reason: Query? = nil,
    evidence: Query? = nil
  ) {
    self.lock = lock
    self.isAboutAllStorage = isAboutAllStorage
    self.makesRoom = makesRoom
    self.decisive = decisive
    self.sharedDecisive = sharedDecisive
    self.others = others
    self.sharedThen = sharedThen
    self.reason = reason
    self.evidence = evidence
  }

  /// A write that is done in any case.
  package init(lock: WriteLock?, makesRoom: Bool = false, _ statements: [Query], sharedThen: [Query]? = nil) {
    self.lock = lock
    isAboutAllStorage = false
    self.makesRoom = makesRoom
    decisive = nil
    sharedDecisive = nil
    others = statements
    self.sharedThen = sharedThen
    reason = nil
    evidence = nil
  }
}

/// The row that is locked before a write. In a shared database, the statements of a write see all that earlier holders
/// of its lock have committed, and nothing comes in between.
package enum WriteLock: Sendable, Equatable {
  case user(Int64)
  case userOf(email: String)
  case microblogUser(Int64)
}

/// What came of a write.
package struct Written: Sendable {
  /// The rows of the decisive statement; nil if there is none.
  package let decisive: Rows?
  /// The rows of the others; none if nothing was done, or if only the evidence of the write was found.
  package let others: [Rows]
  /// Why nothing was done; nil if it was done, or if there is nothing left that could tell.
  package let reason: Rows.Row?

  package init(decisive: Rows?, others: [Rows] = [], reason: Rows.Row? = nil) {
    self.decisive = decisive
    self.others = others
    self.reason = reason
  }

  /// The first row that says that the write is done; nil if it is not.
  package var first: Rows.Row? { decisive?.first }

  package var isDone: Bool { decisive?.isEmpty != true }
}
