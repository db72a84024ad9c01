import Logging
import SelfieAPI
import SelfieControl

extension SelfieServer {
  /// What a test may decide about its server.
  public struct Configuration: Sendable {
    /// What the app has as `API_AUTH_NAME` and `API_AUTH_PASSWORD`.
    public var apiAuthName = TestCredentials.name
    public var apiAuthPassword = TestCredentials.password
    /// 0: any that is free.
    public var port = 0
    /// How long a token lives; counted in seconds, from one to a hundred years.
    public var tokenLifetime = Duration.seconds(86_400)
    /// What get_token asks for.
    public var getToken = GetTokenPolicy.email
    /// The largest photo that is taken, in bytes.
    public var maxPhotoBytes = 67_108_864
    /// Whether guessing passwords is slowed down.
    public var limitsFailures = true
    /// bcrypt's cost: the least, which takes a millisecond.
    public var passwordCost = 4
    /// How long requests under way may take to finish when the server is stopped; they are cut off then. An hour at most.
    public var drain = Duration.milliseconds(500)
    /// Where the server's own words go: by default, what is wrong with it to standard error.
    public var logger = {
      var logger = Logger(label: "selfie-server")
      logger.logLevel = .warning
      return logger
    }()

    public init() {}

    var api: APISettings {
      var api = APISettings(authName: apiAuthName, authPassword: apiAuthPassword)
      api.tokenLifetime = Self.clamped(tokenLifetime.components.seconds, to: APISettings.tokenLifetimes)
      api.getToken = getToken
      api.maxPhotoBytes = maxPhotoBytes
      api.limitsFailures = limitsFailures
      api.passwordCost = passwordCost
      return api
    }

    var drainMilliseconds: Int64 { Self.clamped(drain.milliseconds, to: 0...3_600_000) }

    private static func clamped(_ value: Int64, to range: ClosedRange<Int64>) -> Int64 {
      min(max(value, range.lowerBound), range.upperBound)
    }
  }
}
