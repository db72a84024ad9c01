/// How many users, tokens and photos something was done to.
public struct StateCounts: Sendable, Equatable {
  public var users: Int64
  public var tokens: Int64
  public var photos: Int64

  public init(users: Int64 = 0, tokens: Int64 = 0, photos: Int64 = 0) {
    self.users = users
    self.tokens = tokens
    self.photos = photos
  }
}
