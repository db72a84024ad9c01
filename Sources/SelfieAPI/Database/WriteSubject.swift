import SQLite

/// Whose data a write changes. Writes about one account come one after the other, also where several processes write.
/// WriteSubject+PostgreSQL.swift has the locks.
package enum WriteSubject: Sendable {
  case user(Int64)
  /// A user, and the sum of the bytes of all users' photos.
  case userAndStorage(Int64)
  case microblogUser(Int64)
  /// A new account, or what no user is shown. No row is locked.
  case nobody
  /// The data of several users, or of one who is not known. No row is locked.
  case all

  /// What each `ReadCache` must forget.
  var changedData: ChangedData {
    switch self {
    case .user(let id), .userAndStorage(let id): .ofKey(id)
    case .microblogUser, .nobody: .none
    case .all: .all
    }
  }
}
