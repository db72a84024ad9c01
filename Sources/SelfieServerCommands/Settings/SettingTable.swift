import Cryptography
import Logging
import Platform
import SelfieAPI
import SelfieOperations

/// Every setting, in the order of the documentation. To add one takes a row here, and its use.
///
/// The rows make the flags and their help, the checks of all settings at once, Config/server.env, the table in
/// Docs/Settings.md, and what the owner's page shows.
struct SettingTable: Sendable {
  let apiAuthName = Setting(
    "API_AUTH_NAME", "The user name of HTTP Basic authentication, which the app sends.",
    "Set name and password, or neither.", absence: "made at the first start", from: .secret)
  let apiAuthPassword = Setting(
    "API_AUTH_PASSWORD", "Its password.",
    """
    It is also the key with which the app encrypts its users' passwords. One that can be guessed is refused: it has 16 \
    bytes and 8 different characters at least.
    """, link: "See [below](#the-apis-password).", absence: "made at the first start", from: .secret)
  let apiAuthPasswordPrevious = Setting(
    "API_AUTH_PASSWORD_PREVIOUS", .optional, \.previousAuthPassword, "The password before that, which is valid too.",
    "It is for apps that have not got the new one yet.", link: "See [below](#the-apis-password).", from: .secret)
  let host = Setting(
    "HOST", .text, default: "127.0.0.1", "The address to listen on.",
    "0.0.0.0 accepts connections from other machines.")
  let port = Setting(
    "PORT", .number(0...65_535), default: 3000, forTests: 0, "The port to listen on; 0 picks a free one.")
  let storageDir = Setting(
    "STORAGE_DIR", .text, default: "storage", "The folder of the database and the photos.",
    """
    If you set it, the folder must exist. If you do not, the first start makes it in a checkout or in the folder of \
    --home, and nowhere else.
    """, isPath: true)
  let publicURL = Setting(
    "PUBLIC_URL", .url, \.publicURL, "Where clients reach the server, such as https://selfies.example.",
    "The photos' addresses begin with it.", absence: "the Host they ask for")
  let tlsCertificate = Setting(
    "TLS_CERTIFICATE", "The PEM file of the server's certificate and its chain: the server then speaks HTTPS.",
    "It then speaks nothing else on its port. It reads both files again when they change, and at SIGHUP.", isPath: true)
  let tlsKey = Setting(
    "TLS_KEY", "The file of the certificate's private key (PEM).",
    "It has no passphrase. Set the certificate and the key, or neither.", isPath: true)
  let acmeWebroot = Setting(
    "ACME_WEBROOT", "The folder in which lego or certbot leave the challenges of ACME.",
    "It is their --http.webroot or --webroot-path.", link: "See [HTTPS](HTTPS.md#on-the-internet).", isPath: true)
  let acmePort = Setting(
    // An authority connects to port 80, whatever port the server has (RFC 8555 §8.3).
    "ACME_PORT", .number(0...65_535), default: 80, "The plain port for these challenges, next to HTTPS.",
    "Without HTTPS they are on the server's only port.")
  let apiFamilies = Setting(
    "API_FAMILIES", .families, \.families, "The apps whose addresses the server has.",
    "The addresses of a family that is not named are 404.",
    link: "See [Notes](Compatibility.md#notes) and [Microblog](Compatibility.md#microblog).")
  let homePage = Setting(
    "HOME_PAGE", .onOff, \.hasHomePage, "The page at / that says what the server is, with forms to try it: on or off.",
    "With off, / and /pages/ are 404.")
  let signup = Setting(
    "SIGNUP", .choice, \.signup, "Who makes accounts: open (everybody) or closed (the owner).",
    "With closed, apps are told so with 403. The /__admin/ of tests still can.")
  let getToken = Setting(
    "GET_TOKEN", .choice, \.getToken, "What get_token requires: email, password or off.",
    """
    With email, a user's address is enough, as in the Rails backend: anyone who extracts the API password from the app \
    can act for every user whose address they know. With password, the user's encrypted password is required as well.
    """, link: "See [Security](Security.md#get_token).")
  let tokenLifetime = Setting(
    "TOKEN_LIFETIME", .seconds(APISettings.tokenLifetimes), \.tokenLifetime,
    "How long a token lives, such as 30d; seconds without a unit.")
  let refreshLifetime = Setting(
    "REFRESH_LIFETIME", .seconds(APISettings.refreshLifetimes), \.refreshLifetime,
    "How long after its end a token can be refreshed, such as 30d.",
    "With 0, only a token that has not expired can be.", link: "See [refreshing](Compatibility.md#refreshing-a-token).")
  let sessionLifetime = Setting(
    "SESSION_LIFETIME", .seconds(APISettings.tokenLifetimes), \.sessionLifetime,
    "How long a session of the Microblog app lives without use, such as 30d.")
  let passwordCost = Setting(
    "PASSWORD_COST", .number(PasswordHash.costs), \.passwordCost, forTests: PasswordHash.costs.lowerBound,
    "bcrypt's cost, 4 to 31.", "Each step doubles the time of a sign-in; 12 takes about a quarter of a second.")
  let maxPhotoBytes = Setting(
    "MAX_PHOTO_BYTES", .bytes(1...1_099_511_627_776), \.maxPhotoBytes, "The largest photo, such as 64M.",
    "A selfie as PNG from an iPhone has 20 to 30 million bytes.")
  let maxPhotos = Setting(
    "MAX_PHOTOS", .number(1...1_000_000), \.maxPhotos, "The photos that an account may have.",
    "Further uploads are 507. Imports and restores bring in any number.")
  let userQuota = Setting(
    "USER_QUOTA", .quota, \.userQuota,
    "The size of all photos that an account may have, such as 500M; 0 means any.",
    """
    Further uploads are 507. Unfinished uploads count as they arrive; each process of a cluster counts its own. Imports \
    and restores bring in any number. Notes and posts do not count; they have limits of their own.
    """, link: "See [Limits](Limits.md).")
  let storageQuota = Setting(
    "STORAGE_QUOTA", .quota, \.storageQuota,
    "The size of all photos that the server may have, such as 10G; 0 means any.", "It counts as USER_QUOTA does.")
  let memoryLimit = Setting(
    // With less, the longest list of ten thousand photos could not be sent.
    "MEMORY_LIMIT", .bytes(128 * 1024 * 1024...1_099_511_627_776), default: MemoryBudget.defaultLimit,
    "The memory that clients may make the server hold, such as 256M.",
    """
    Beyond it, clients get 503 and the slowest are disconnected. The process itself needs about 100 million bytes more. \
    At least 134217728.
    """, link: "See [Memory](Limits.md#memory).")
  let rateLimit = Setting(
    "RATE_LIMIT", .onOff, \.limitsFailures, "Limit attempts to guess passwords, and sign-ups: on or off.",
    """
    After 10 failures within 3 minutes for one account or from one address, further attempts are 429 until the oldest is \
    3 minutes old; so are sign-ups after 100 within 10 minutes from one address. The machine's own addresses are not \
    counted. off is for test suites.
    """)
  let trustedProxies = Setting(
    "TRUSTED_PROXIES", SettingKind("addresses or networks, such as 127.0.0.1, 10.0.0.0/8") { TrustedProxies($0) },
    \.trustedProxies,
    "Addresses and networks of the proxies whose X-Forwarded-For or Forwarded is trusted.",
    "Such as 127.0.0.1, 10.0.0.0/8. Other clients' are ignored, because anybody can send them.")
  let corsOrigins = Setting(
    "CORS_ORIGINS",
    SettingKind(
      "* or origins such as https://app.example, http://localhost:5173: a scheme and a host, without a path"
    ) { AllowedOrigins($0).map(Optional.some) }, default: nil,
    "The origins of the web pages that may use the API, such as https://app.example, or *.",
    "By default browsers keep the API from the pages of other origins.",
    link: "See [Web pages](HTTPS.md#web-pages-of-other-origins).")
  let databaseURL = Setting(
    "DATABASE_URL", "For selfie-server-cluster: its database, postgres://USER:PASSWORD@HOST/NAME.",
    "Set it and the five settings of S3 that say where and who, or none.",
    link: "See [Cluster](Cluster.md), also for the next eight.", from: .secret)
  let s3Endpoint = Setting(
    "S3_ENDPOINT", "For selfie-server-cluster: the object store, such as https://s3.example.", from: .valueOrFile)
  let s3Bucket = Setting("S3_BUCKET", "The bucket there that has the photos.", from: .valueOrFile)
  let s3Region = Setting("S3_REGION", "The region of the bucket, such as eu-central-1.", from: .valueOrFile)
  let s3AccessKeyID = Setting("S3_ACCESS_KEY_ID", "The name of the key for the object store.", from: .secret)
  let s3SecretAccessKey = Setting("S3_SECRET_ACCESS_KEY", "The key.", from: .secret)
  let s3AddressingStyle = Setting(
    "S3_ADDRESSING_STYLE", .choice, default: ClusterSettings.AddressingStyle.path,
    "Where requests name the bucket: path, or virtual for the host, as bucket.s3.example.")
  let s3Redirect = Setting(
    "S3_REDIRECT", .onOff, default: false, "Whether downloads are redirected to the object store: on or off.")
  let sweepAfter = Setting(
    "SWEEP_AFTER", .seconds(600...31_536_000), default: 86_400,
    "The age, such as 24h, at which a cluster removes what a server left unfinished.")
  let backupDir = Setting(
    "BACKUP_DIR", "The folder into which the server puts backups automatically.",
    "It must exist, outside of the storage and best on another disk.",
    link: "See [Backups](Backups.md#automatic-backups).", absence: "none are made", isPath: true)
  let backupEvery = Setting(
    "BACKUP_EVERY", .checked("a time such as 30m, 24h or 7d, of 1s to 366d") { Settings.interval($0) != nil },
    default: "24h", "How long after a backup the next one is made: 30m, 24h, 7d.")
  let backupKeep = Setting(
    "BACKUP_KEEP",
    .checked("numbers of days and weeks, such as 7d,4w, or of backups, such as 10") { BackupRetention($0) != nil },
    default: "7d,4w", "Which backups are kept: the newest of each of these days and weeks, or a number of them.",
    "7d,4w are the newest of each of the last 7 days and 4 weeks that have any, and 10 are the last ten.")
  let metrics = Setting(
    "METRICS",
    SettingKind("an address and a port, such as 127.0.0.1:9464") { ListenAddress($0).map(Optional.some) }, default: nil,
    "The address and port on which Prometheus can read metrics, such as 127.0.0.1:9464.",
    "They are at /metrics, without a password.", link: "See [Metrics](Monitoring.md#metrics).")
  let logLevel = Setting(
    "LOG_LEVEL", .choice, default: Logger.Level.info,
    "The lowest level to log: trace, debug, info, notice, warning, error or critical.",
    "The log goes to standard error.", link: "See [Logs](Monitoring.md#logs).")
  let logFormat = Setting(
    "LOG_FORMAT", .choice, default: Settings.LogFormat.text, "How log lines are written: text or json.")
  let logRequests = Setting(
    "LOG_REQUESTS", .onOff, default: true,
    "Whether the log has a line for each request, at the level info: on or off.")
  let ephemeral = Setting(
    "EPHEMERAL", .onOff, default: false,
    "For tests: keep nothing, on a free port, with the control interface.", link: "See [Testing](Testing.md).")
  let control = Setting(
    "CONTROL", .onOff, default: false, "For tests: the control interface under /__admin/.",
    "It can change everything.", link: "See [Testing](Testing.md#the-control-interface).")
  let controlName = Setting(
    "CONTROL_NAME", "The user name that the control interface asks for.", "Set name and password, or neither.",
    link: "See [Testing](Testing.md#who-may-use-it).", absence: "made at each start", from: .secret)
  let controlPassword = Setting(
    "CONTROL_PASSWORD", "Its password.", absence: "made at each start", from: .secret)

  /// The table.
  static let all = SettingTable()
  /// Its rows, in their order.
  static let rows = Mirror(reflecting: all).children.compactMap { $0.value as? any SettingRow }
  /// All names that the environment and the configuration file may have.
  static let names = rows.flatMap { [$0.name, $0.fileName].compactMap(\.self) }

  /// The name of a setting of which another name may be a misspelling. A short name has too many neighbors, such as HOME
  /// of HOST.
  static func name(like name: String) -> String? {
    SimilarName.nearest(to: name.uppercased(), among: names.filter { abs($0.count - name.count) <= 2 }) {
      switch $0.count {
      case ...5: -1
      case ...8: 1
      default: 2
      }
    }
  }
}

extension SettingTable {
  /// Config/server.env: the settings with their defaults, as comments.
  static var environmentFile: String {
    let head = """
      # Settings of selfie-server. Each commented-out line shows the default. Flags of `selfie-server serve` override the
      # environment, which overrides this file. A relative path is one in the folder of Config.

      """
    // A server that keeps nothing is asked for on its command line.
    return rows.filter { $0.name != all.ephemeral.name }.reduce(head) { text, row in
      let lines = wrapped("\(row.help) \(row.details)")
      return text + "\n" + lines.map { "# \($0)\n" }.joined()
        + "#\(row.name)=\(row.defaultText(isEphemeral: false) ?? "")\n"
    }
  }

  /// The table of Docs/Settings.md.
  static var markdown: String {
    rows.reduce("| Name | Default | Meaning |\n|---|---|---|\n") { text, row in
      let fallback = row.defaultText(isEphemeral: false).map { "`\($0)`" } ?? row.absence
      let meaning = [row.help, row.details, row.link].filter { !$0.isEmpty }.joined(separator: " ")
      return text + "| `\(row.name)` | \(fallback) | \(meaning) |\n"
    }
  }

  /// Lines of at most 118 characters.
  private static func wrapped(_ text: String) -> [String] {
    text.split(separator: " ").reduce(into: [""]) { lines, word in
      let line = lines.removeLast()
      guard line.count + word.count < 118 else { return lines += [line, String(word)] }
      lines.append(line.isEmpty ? String(word) : "\(line) \(word)")
    }
  }
}
