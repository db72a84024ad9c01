import Cryptography
import Logging
import Platform
import SelfieAPI
import SelfieTestControl
import SelfieOperations

/// The values of all settings, checked.
struct Settings {
  enum LogFormat: String, CaseIterable {
    case text, json
  }

  /// The API's name and password, if the owner chose them.
  let credentials: Credentials?
  /// The API's password before that, which is valid too.
  let previousPassword: String?
  private(set) var host: String
  let port: Int
  let storageDir: String
  /// Whether the owner set the folder. Such a folder is not made: its name may be misspelled, or its disk not mounted.
  let storageIsChosen: Bool
  let home: Home
  let publicURL: String?
  /// Nil to speak plain HTTP.
  let tls: TLSFiles?
  /// The folder of the challenges of ACME.
  let acmeWebroot: String?
  /// The plain port for them, next to the TLS port.
  let acmePort: Int
  let families: Set<APIFamily>
  let hasHomePage: Bool
  let signup: SignupPolicy
  let getToken: GetTokenPolicy
  let tokenLifetime: Int64
  let refreshLifetime: Int64
  let sessionLifetime: Int64
  let passwordCost: Int
  let maxPhotoBytes: Int
  let maxPhotos: Int
  /// Nil: there is none. The same goes for the other quota.
  let userQuota: Int64?
  let storageQuota: Int64?
  let memoryLimit: Int
  let limitsFailures: Bool
  let trustedProxies: TrustedProxies
  /// Nil: pages of other origins may read nothing.
  let corsOrigins: AllowedOrigins?
  /// Nil: everything is kept in the storage folder.
  let cluster: ClusterSettings?
  /// Nil: the server makes no backups by itself.
  let backups: ScheduledBackups.Plan?
  /// Where the metrics can be read; nil: nowhere.
  let metrics: ListenAddress?
  let logLevel: Logger.Level
  let logFormat: LogFormat
  /// Whether there is a line for each request.
  let logsRequests: Bool

  /// Whether to keep nothing. The defaults are for tests then: fixed credentials, a free port and quick hashes.
  let isEphemeral: Bool
  /// Whether there is a control interface for tests.
  let hasControl: Bool
  /// The control interface's name and password, if the owner chose them.
  let controlCredentials: Credentials?
  /// What the owner's page shows of them.
  let shown: [ShownSetting]

  /// With less, the longest list of ten thousand photos could not be sent.
  private static let memoryLimits = 128 * 1024 * 1024...1_099_511_627_776

  static let defaultStorageDir = "storage"
  static let defaultHost = "127.0.0.1"
  static let defaultPort = 3000

  /// - Parameters:
  ///   - isServing: whether they are for a server, which must have a password that cannot be guessed, and a certificate
  ///     that can be used.
  ///   - support: what the program has for a cluster.
  /// - Throws: an error that lists every problem.
  init(
    _ sources: SettingSources, isServing: Bool = false, cluster support: (any ClusterSupport)? = nil
  ) throws(ConfigurationError) {
    var reader = SettingReader(sources: sources)
    let defaults = APISettings.defaults
    isEphemeral = reader.isOn(.ephemeral, default: false)
    hasControl = reader.isOn(.control, default: false) || isEphemeral
    controlCredentials = reader.credentials(.controlName, .controlPassword)
    let chosen = reader.credentials(.apiAuthName, .apiAuthPassword)
    if isServing && !isEphemeral { reader.checkStrength(of: chosen) }
    credentials = chosen ?? (isEphemeral ? .forTests : nil)
    previousPassword = reader.previousPassword()
    host = reader.text(.host, default: Self.defaultHost)
    port = reader.number(.port, in: 0...65_535, default: isEphemeral ? 0 : Self.defaultPort)
    home = sources.home
    storageDir = reader.text(.storageDir, default: home.path(Self.defaultStorageDir))
    storageIsChosen = reader.text(.storageDir) != nil
    publicURL = reader.publicURL()
    tls = reader.tlsFiles(readsThem: isServing)
    acmeWebroot = reader.folder(.acmeWebroot)
    // An authority connects to port 80, whatever port the server has (RFC 8555 §8.3).
    acmePort = reader.number(.acmePort, in: 0...65_535, default: 80)
    families = reader.families()
    hasHomePage = reader.isOn(.homePage, default: true)
    signup = reader.choice(.signup, of: SignupPolicy.allCases, default: defaults.signup)
    getToken = reader.choice(.getToken, of: GetTokenPolicy.allCases, default: defaults.getToken)
    tokenLifetime = Int64(
      reader.number(
        .tokenLifetime, of: .seconds, in: 1...Int(APISettings.tokenLifetimes.upperBound),
        default: Int(defaults.tokenLifetime)))
    refreshLifetime = Int64(
      reader.number(
        .refreshLifetime, of: .seconds, in: 0...Int(APISettings.refreshLifetimes.upperBound),
        default: Int(defaults.refreshLifetime)))
    sessionLifetime = Int64(
      reader.number(
        .sessionLifetime, of: .seconds, in: 1...Int(APISettings.tokenLifetimes.upperBound),
        default: Int(defaults.sessionLifetime)))
    passwordCost = reader.number(
      .passwordCost, in: PasswordHash.costs,
      default: isEphemeral ? PasswordHash.costs.lowerBound : defaults.passwordCost)
    maxPhotoBytes = reader.number(
      .maxPhotoBytes, of: .bytes, in: 1...1_099_511_627_776, default: defaults.maxPhotoBytes)
    maxPhotos = reader.number(.maxPhotos, in: 1...1_000_000, default: defaults.maxPhotos)
    userQuota = reader.quota(.userQuota)
    storageQuota = reader.quota(.storageQuota)
    memoryLimit = reader.number(.memoryLimit, of: .bytes, in: Self.memoryLimits, default: MemoryBudget.defaultLimit)
    limitsFailures = reader.isOn(.rateLimit, default: true)
    trustedProxies = reader.trustedProxies()
    corsOrigins = reader.corsOrigins()
    cluster = reader.cluster(
      support, maxPhotoBytes: maxPhotoBytes, isForTests: hasControl, isServing: isServing)
    let plan = cluster == nil ? reader.backups() : nil
    backups = isEphemeral ? nil : plan
    metrics = reader.listenAddress(.metrics)
    logLevel = reader.choice(.logLevel, of: Logger.Level.allCases, default: .info)
    logFormat = reader.choice(.logFormat, of: LogFormat.allCases, default: .text)
    logsRequests = reader.isOn(.logRequests, default: true) && logLevel <= .info
    shown = reader.shown
    guard reader.problems.isEmpty else { throw ConfigurationError(problems: reader.problems) }
  }

  /// These settings, with the address on which a server listens in fact.
  func listening(on host: String) -> Settings {
    var settings = self
    settings.host = host
    return settings
  }

  /// Whether a first start makes the storage folder.
  var makesStorage: Bool { !storageIsChosen && home.mayHaveNewStorage }

  /// Refuses a command that is about the files in the storage folder, where a cluster keeps nothing.
  func requireFiles(for command: String) throws(ConfigurationError) {
    guard cluster != nil else { return }
    throw ConfigurationError(
      """
      \(command) is for a server that keeps everything in its storage folder, and DATABASE_URL is set. The tools of \
      PostgreSQL and of the object store back up a cluster, and restore it.
      """)
  }

  /// The settings that the API itself needs.
  func api(_ credentials: Credentials) -> APISettings {
    var api = APISettings(authName: credentials.name, authPassword: credentials.password)
    api.previousAuthPassword = previousPassword
    api.usesTLS = tls != nil
    api.publicURL = publicURL
    api.families = families
    api.hasHomePage = hasHomePage
    api.signup = signup
    api.getToken = getToken
    api.tokenLifetime = tokenLifetime
    api.refreshLifetime = refreshLifetime
    api.sessionLifetime = sessionLifetime
    api.passwordCost = passwordCost
    api.limitsFailures = limitsFailures
    // A test suite on another machine may make hundreds of accounts within minutes.
    api.limitsSignups = limitsFailures && !isEphemeral
    api.trustedProxies = trustedProxies
    api.maxPhotoBytes = maxPhotoBytes
    api.maxPhotos = maxPhotos
    api.userQuota = userQuota
    api.storageQuota = storageQuota
    return api
  }
}
