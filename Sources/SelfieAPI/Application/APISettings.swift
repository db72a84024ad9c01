/// The settings of the API. `Settings` in SelfieServer makes them from the owner's texts.
package struct APISettings: Sendable {
  /// The name of HTTP Basic, and its password, which is also the key of the users' encrypted passwords.
  package var authName: String
  package var authPassword: String
  /// The password before that, for apps that have not got the new one yet. Nil: there is none.
  package var previousAuthPassword: String?
  /// Where clients reach the server, such as `https://selfies.example`, without a slash at the end;
  /// nil: whatever Host they ask for, by http.
  package var publicURL: String?
  /// Whether the server itself speaks HTTPS.
  package var usesTLS = false
  /// How long a token lives, in seconds.
  package var tokenLifetime: Int64 = 86_400
  /// The upper bound is a hundred years, which no user can tell from no expiry.
  package static let tokenLifetimes: ClosedRange<Int64> = 1...3_155_760_000
  /// Whether apps may make accounts.
  package var signup = SignupPolicy.open
  /// How long after its end a token can be refreshed, in seconds.
  package var refreshLifetime = RefreshPolicy.defaultSeconds
  package static let refreshLifetimes = 0...tokenLifetimes.upperBound
  /// The credentials that get_token asks for.
  package var getToken = GetTokenPolicy.email
  /// The apps whose addresses the server has.
  package var families = Set(APIFamily.allCases)
  /// Whether there is a page for people at `/`.
  package var hasHomePage = true
  /// Whether the page at `/` fills in the API's name and password for a browser on the server's machine.
  package var showsCredentials = false
  /// Whether there is an inspector for tests, to which the page at `/` links.
  package var hasInspector = false
  /// How long a session of the Microblog app lives without use, in seconds.
  package var sessionLifetime: Int64 = 30 * 86_400
  /// bcrypt's cost: the logarithm of its rounds.
  package var passwordCost = 12
  /// The largest photo that is taken, in bytes.
  package var maxPhotoBytes = 64 * 1024 * 1024
  /// The photos that an account may have by uploads. get_photos has no pages, and with the longest titles and names such
  /// a list has 34 MB.
  package var maxPhotos = 10_000
  /// The bytes of all photos that an account may have by uploads; nil: any number.
  package var userQuota: Int64?
  /// The bytes of all photos that the server may have by uploads; nil: any number.
  package var storageQuota: Int64?

  /// Whether guessing passwords is slowed down.
  package var limitsFailures = true
  /// Whether the sign-ups of a client are limited.
  package var limitsSignups = true
  /// The proxies whose word about the client's address is taken.
  package var trustedProxies = TrustedProxies.none

  /// The defaults, without a name and a password.
  package static let defaults = APISettings(authName: "", authPassword: "")

  package init(authName: String, authPassword: String) {
    self.authName = authName
    self.authPassword = authPassword
  }
}

/// A family of addresses, each for the apps of one article.
package enum APIFamily: String, Sendable, CaseIterable {
  case selfie, microblog, notes
}

/// The credentials for which get_token gives a token.
package enum GetTokenPolicy: String, Sendable, CaseIterable {
  /// The API's password and a user's email address, as the original asked for.
  case email
  /// The user's encrypted password too.
  case password
  /// Nothing helps: there is only signin.
  case off
}
