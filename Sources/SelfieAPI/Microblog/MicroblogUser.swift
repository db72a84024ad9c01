/// Somebody who has an account in the Microblog app: a row of the table `microblog_users`.
public struct MicroblogUser: Sendable, Equatable {
  /// 0 until the user has a row: the insert gives the next id.
  public var id: Int64
  public var name: String
  /// By bcrypt.
  public var passwordHash: String
  /// Unix milliseconds.
  public var createdAt: Int64

  public init(id: Int64 = 0, name: String, passwordHash: String, createdAt: Int64) {
    self.id = id
    self.name = name
    self.passwordHash = passwordHash
    self.createdAt = createdAt
  }
}
