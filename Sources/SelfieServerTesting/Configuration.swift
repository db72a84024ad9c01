import Cryptography
import Logging
import Platform
import SelfieAPI
import SelfieTestControl

extension SelfieServer {
  /// The settings of a server.
  public struct Configuration: Sendable {
    /// The name and the password of the API, `API_AUTH_NAME` and `API_AUTH_PASSWORD` in the app.
    public var apiAuthName = TestCredentials.name
    public var apiAuthPassword = TestCredentials.password
    /// The port to listen on; 0 for any free port.
    public var port = 0
    /// How long a token is valid: whole seconds, from one second to a hundred years.
    public var tokenLifetime = Duration.seconds(APISettings.defaults.tokenLifetime)
    /// How long after its end a token can be refreshed: whole seconds, to a hundred years.
    public var refreshLifetime = Duration.seconds(APISettings.defaults.refreshLifetime)
    /// Which credentials `get_token` requires.
    public var getToken = APISettings.defaults.getToken
    /// The size limit of a photo in bytes.
    public var maxPhotoBytes = APISettings.defaults.maxPhotoBytes
    /// Whether the server throttles failed sign-ins.
    public var limitsFailures = APISettings.defaults.limitsFailures
    /// The cost of bcrypt. The default is the lowest one, with which a hash takes a millisecond.
    public var passwordCost = PasswordHash.costs.lowerBound
    /// How long a stopping server waits for requests in flight before it drops them, an hour at most.
    public var drain = Duration.milliseconds(500)
    /// The server's log. By default, warnings and errors go to standard error.
    public var logger = {
      var logger = Logger(label: "selfie-server")
      logger.logLevel = .warning
      return logger
    }()

    public init() {}

    var api: APISettings {
      var api = APISettings(authName: apiAuthName, authPassword: apiAuthPassword)
      api.tokenLifetime = tokenLifetime.components.seconds.clamped(to: APISettings.tokenLifetimes)
      api.refreshLifetime = refreshLifetime.components.seconds.clamped(to: APISettings.refreshLifetimes)
      api.getToken = getToken
      api.maxPhotoBytes = maxPhotoBytes
      api.limitsFailures = limitsFailures
      api.passwordCost = passwordCost
      return api
    }
  }
}
