/// What the owner of the server may decide about the API.
public struct APISettings: Sendable {
  /// The name of HTTP Basic, and its password, which is also the key of the users' encrypted passwords.
  public var authName: String
  public var authPassword: String
  /// Where clients reach the server, such as `https://selfies.example`, without a slash at the end;
  /// nil: whatever Host they ask for, by http.
  public var publicURL: String?
  /// How long a token lives, in seconds.
  public var tokenLifetime: Int64 = 86_400
  /// bcrypt's cost: the logarithm of its rounds.
  public var passwordCost = 12
  /// The largest photo that is taken, in bytes.
  public var maximumPhotoBytes = 67_108_864

  public init(authName: String, authPassword: String) {
    self.authName = authName
    self.authPassword = authPassword
  }
}
