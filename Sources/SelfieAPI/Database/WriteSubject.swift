/// Whose data a write changes. Writes about one account come one after the other, also where several processes write.
package enum WriteSubject: Sendable {
  case user(Int64)
  /// A user, and the sum of the bytes of all users' photos.
  case userAndStorage(Int64)
  case microblogUser(Int64)
  /// New accounts, the data of several users, or nothing that belongs to a user. No row is locked.
  case all
}
