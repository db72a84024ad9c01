import Cryptography
import Logging
import Platform
import SelfieAPI
import SelfieOperations
import SelfieTestControl

/// Every setting. To add one takes a row here, its name in a section, and its use. `SettingKind` has the rules for texts,
/// and `Settings` the values.
///
/// The rows make the help of flags, the checks of all settings at once, Config/server.env, the tables in
/// Docs/Settings.md, and what the owner's page shows.
struct SettingTable: Sendable {
  // MARK: - The API's name and password

  let apiAuthName = Setting(
    "API_AUTH_NAME", "The user name that the app sends by HTTP Basic authentication.",
    "Set both name and password, or neither.", absence: "generated at the first start", from: .secret)
  let apiAuthPassword = Setting(
    "API_AUTH_PASSWORD", "The password that goes with API_AUTH_NAME.",
    """
    It is also the key with which the app encrypts its users' passwords. It must have at least 16 bytes and 8 \
    different characters.
    """, link: "See [below](#the-apis-password).", absence: "generated at the first start", from: .secret)
  let apiAuthPasswordPrevious = Setting(
    "API_AUTH_PASSWORD_PREVIOUS", .optional, \.previousAuthPassword,
    "The former API_AUTH_PASSWORD, which remains valid.", "It is for apps that do not have the new one yet.",
    link: "See [below](#the-apis-password).", from: .secret)

  // MARK: - Addresses and HTTPS

  let host = Setting(
    "HOST", .host, default: "127.0.0.1", "The address to listen on.",
    "0.0.0.0 accepts connections from other machines too, and :: also those over IPv6.")
  let port = Setting(
    "PORT", .number(0...65_535), default: 3000, forTests: 0, "The port to listen on; 0 picks a free one.")
  let publicURL = Setting(
    "PUBLIC_URL", .url, \.publicURL, "Where clients reach the server, such as https://selfies.example.",
    "Addresses of photos begin with it.", absence: "the Host of the request")
  let tlsCertificate = Setting(
    "TLS_CERTIFICATE", "The PEM file with the server's certificate and its chain, for HTTPS.",
    "PORT then speaks only HTTPS. Both files are read again when they change, and at SIGHUP.", isPath: true)
  let tlsKey = Setting(
    "TLS_KEY", "The PEM file with the certificate's private key.",
    "It must not have a passphrase. Set both the certificate and the key, or neither.", isPath: true)
  let acmeWebroot = Setting(
    "ACME_WEBROOT", "The folder in which lego or certbot puts its ACME challenges.",
    "Give it to lego as --http.webroot, or to certbot as --webroot-path.",
    link: "See [HTTPS](HTTPS.md#on-the-internet).", isPath: true)
  let acmePort = Setting(
    // An authority connects to port 80, whatever port the server has (RFC 8555 §8.3).
    "ACME_PORT", .number(0...65_535), default: 80,
    "The plain HTTP port that serves these challenges if the server has a certificate.",
    "Without one, PORT serves them.")
  let trustedProxies = Setting(
    "TRUSTED_PROXIES", SettingKind(rule: "addresses or networks, such as 127.0.0.1, 10.0.0.0/8") { TrustedProxies($0) },
    \.trustedProxies,
    "The proxies whose X-Forwarded-For or Forwarded is trusted, such as 127.0.0.1, 10.0.0.0/8.",
    "From other clients these fields are ignored, because anyone can send them.")
  let corsOrigins = Setting(
    "CORS_ORIGINS",
    SettingKind(
      rule: "* or origins such as https://app.example, http://localhost:5173: a scheme and a host, without a path"
    ) { AllowedOrigins($0).map(Optional.some) }, default: nil,
    "The origins of web pages that may use the API, such as https://app.example, or * for all.",
    "By default, browsers let no page of another origin use it.",
    link: "See [Web pages](HTTPS.md#web-pages-of-other-origins).")

  // MARK: - Storage and backups

  let storageDir = Setting(
    "STORAGE_DIR", .text, default: "storage", "The folder for the database and the photos.",
    """
    If you set it, the folder must exist. The default is created at the first start, but only in a checkout or in the \
    folder of --home.
    """, isPath: true)
  let backupDir = Setting(
    "BACKUP_DIR", "The folder for automatic backups.",
    "It must exist and be outside STORAGE_DIR, preferably on another disk. Without it, no backups are made.",
    link: "See [Backups](Backups.md#automatic-backups).", isPath: true)
  let backupEvery = Setting(
    "BACKUP_EVERY", .checked("a time such as 30m, 24h or 7d, of 1s to 366d") { Settings.interval($0) != nil },
    default: "24h", "The time from one backup to the next, such as 30m, 24h or 7d.")
  let backupKeep = Setting(
    "BACKUP_KEEP",
    .checked("numbers of days and weeks, such as 7d,4w, or of backups, such as 10") { BackupRetention($0) != nil },
    default: "7d,4w", "Which backups are kept: numbers of days and weeks, such as 7d,4w, or of backups, such as 10.",
    "7d,4w keeps the newest backup of each of the last 7 days and 4 weeks that have one; 10 keeps the last ten.")

  // MARK: - The API and its accounts

  let apiFamilies = Setting(
    "API_FAMILIES", .families, \.families, "The families of endpoints that the server has, one for each app.",
    "The addresses of all others get 404.",
    link: "See [Notes](Compatibility.md#notes) and [Microblog](Compatibility.md#microblog).")
  let homePage = Setting(
    "HOME_PAGE", .onOff, \.hasHomePage, "The page at / with forms to try the API: on or off.",
    "With off, / and /pages/ get 404.")
  let signup = Setting(
    "SIGNUP", .choice, \.signup, "Who may create accounts: open (anyone) or closed (only the owner).",
    "With closed, sign-ups get 403; use selfie-server user create. /__admin/ can still create users for tests.")
  let getToken = Setting(
    "GET_TOKEN", .choice, \.getToken, "What get_token requires: email, password or off.",
    """
    With email, a user's address is enough, as in the Rails backend: anyone who extracts the API password from the app \
    can act for every user whose address they know. With password, the user's encrypted password is required as well. \
    With off, get_token gets 403.
    """, link: "See [Security](Security.md#get_token).")
  let tokenLifetime = Setting(
    "TOKEN_LIFETIME", .seconds(APISettings.tokenLifetimes), \.tokenLifetime,
    "How long a token is valid, such as 30d; in seconds without a unit.")
  let refreshLifetime = Setting(
    "REFRESH_LIFETIME", .seconds(APISettings.refreshLifetimes), \.refreshLifetime,
    "For how long an expired token can be refreshed, such as 30d.",
    "With 0, only tokens that have not expired can be.", link: "See [refreshing](Compatibility.md#refreshing-a-token).")
  let sessionLifetime = Setting(
    "SESSION_LIFETIME", .seconds(APISettings.tokenLifetimes), \.sessionLifetime,
    "How long an unused session of the Microblog app remains valid, such as 30d.")
  let passwordCost = Setting(
    "PASSWORD_COST", .number(PasswordHash.costs), \.passwordCost, forTests: PasswordHash.costs.lowerBound,
    "The cost of bcrypt, 4 to 16.", "Each step doubles the time of a sign-in; 12 takes about a quarter of a second.")

  // MARK: - Limits

  let maxPhotoBytes = Setting(
    "MAX_PHOTO_BYTES", .bytes(1...1_099_511_627_776), \.maxPhotoBytes, "The maximum size of a photo, such as 64M.",
    "A selfie from an iPhone, as PNG, has 20 to 30 million bytes.")
  let maxPhotos = Setting(
    "MAX_PHOTOS", .number(1...1_000_000), \.maxPhotos, "The maximum number of photos per account.",
    "Further uploads get 507. Imports and restores ignore this limit.")
  let userQuota = Setting(
    "USER_QUOTA", .quota, \.userQuota,
    "The maximum size of all photos of an account together, such as 500M; 0 means no limit.",
    """
    Further uploads get 507. Unfinished uploads count as they arrive; each process of a cluster counts its own. \
    Imports and restores ignore this limit. Notes and posts do not count; they have their own limits.
    """, link: "See [Limits](Limits.md).")
  let storageQuota = Setting(
    "STORAGE_QUOTA", .quota, \.storageQuota,
    "The maximum size of all photos on the server together, such as 10G; 0 means no limit.",
    "It is counted like USER_QUOTA.")
  let memoryLimit = Setting(
    // With less, the longest list of ten thousand photos could not be sent.
    "MEMORY_LIMIT", .bytes(128 * 1024 * 1024...1_099_511_627_776), default: MemoryBudget.defaultLimit,
    "The maximum memory that all clients together use, such as 256M.",
    """
    Beyond it, clients get 503, and the slowest are disconnected. Allow the process 150 MB more. The minimum is 128M.
    """, link: "See [Memory](Limits.md#memory).")
  let rateLimit = Setting(
    "RATE_LIMIT", .onOff, \.limitsFailures, "Whether wrong passwords and sign-ups are limited: on or off.",
    "Use off for test suites.", link: "See [Limits](Limits.md#guessing-and-sign-ups).")

  // MARK: - Logs and metrics

  let metrics = Setting(
    "METRICS", .address, default: nil,
    "The address and port for Prometheus, such as 127.0.0.1:9464. The metrics are at /metrics, without a password.",
    link: "See [Metrics](Monitoring.md#metrics).")
  let logLevel = Setting(
    "LOG_LEVEL", .choice, default: Logger.Level.info,
    "The lowest level to log: trace, debug, info, notice, warning, error or critical.",
    "The log goes to standard error.", link: "See [Logs](Monitoring.md#logs).")
  let logFormat = Setting(
    "LOG_FORMAT", .choice, default: Settings.LogFormat.text, "The format of log lines: text or json.")
  let logRequests = Setting(
    "LOG_REQUESTS", .onOff, default: true,
    "Whether each request is logged, at the level info: on or off.")

  // MARK: - Cluster

  let databaseURL = Setting(
    "DATABASE_URL", "The database of selfie-server-cluster: postgres://USER:PASSWORD@HOST/NAME.",
    "Set it together with the next five settings, or none of them.",
    link: "See [Cluster](Cluster.md), also for the next eight.", from: .secret)
  let s3Endpoint = Setting(
    "S3_ENDPOINT", "The object store of selfie-server-cluster, such as https://s3.example.", from: .valueOrFile)
  let s3Bucket = Setting("S3_BUCKET", "The bucket for the photos. It must exist.", from: .valueOrFile)
  let s3Region = Setting("S3_REGION", "The region of the bucket, such as eu-central-1.", from: .valueOrFile)
  let s3AccessKeyID = Setting("S3_ACCESS_KEY_ID", "The id of the access key for the object store.", from: .secret)
  let s3SecretAccessKey = Setting("S3_SECRET_ACCESS_KEY", "The secret of that access key.", from: .secret)
  let s3AddressingStyle = Setting(
    "S3_ADDRESSING_STYLE", .choice, default: ClusterSettings.AddressingStyle.path,
    "Where requests name the bucket: path (s3.example/bucket) or virtual (bucket.s3.example).")
  let s3Redirect = Setting(
    "S3_REDIRECT", .onOff, default: false, "Whether downloads are redirected to the object store: on or off.")
  let sweepAfter = Setting(
    "SWEEP_AFTER", .seconds(600...31_536_000), default: 86_400,
    "The age, such as 24h, at which a cluster removes uploads that a crashed process left unfinished.")

  // MARK: - Tests

  let ephemeral = Setting(
    "EPHEMERAL", .onOff, default: false,
    "For tests: keep no data, use a free port, and enable the control interface.", link: "See [Testing](Testing.md).")
  let control = Setting(
    "CONTROL", .onOff, default: false, "For tests: enable the control interface under /__admin/.",
    "Whoever can use it can read and change everything.", link: "See [Testing](Testing.md#the-control-interface).")
  let controlName = Setting(
    "CONTROL_NAME", "The user name for the control interface.", "Set both name and password, or neither.",
    link: "See [Testing](Testing.md#who-may-use-it).", absence: "generated at each start", from: .secret)
  let controlPassword = Setting(
    "CONTROL_PASSWORD", "The password that goes with CONTROL_NAME.", absence: "generated at each start", from: .secret)
  let controlAddress = Setting(
    "CONTROL_ADDRESS", .address, default: nil,
    "For tests: an address and port for the control interface alone, such as 0.0.0.0:3001.",
    "It speaks plain HTTP, and faults of connections do not touch it.",
    link: "See [Testing](Testing.md#faults).", absence: "with EPHEMERAL, a free port for programs on the same machine")
  let journalSize = Setting(
    "JOURNAL_SIZE", .number(Journal.sizes), default: Journal.defaultSize,
    "For tests: how many requests the control interface keeps of each world.",
    "A check that needs more fails. A request takes about a kilobyte of memory.",
    link: "See [Testing](Testing.md#the-control-interface).")

  /// The table.
  static let all = SettingTable()

  /// The settings of one subject.
  struct Section: Sendable {
    let name: String
    let rows: [any SettingRow]

    init(_ name: String, _ rows: any SettingRow...) {
      self.name = name
      self.rows = rows
    }
  }

  /// All settings by their subjects, in the order of the documentation.
  static let sections = [
    Section("The API's name and password", all.apiAuthName, all.apiAuthPassword, all.apiAuthPasswordPrevious),
    Section(
      "Addresses and HTTPS", all.host, all.port, all.publicURL, all.tlsCertificate, all.tlsKey, all.acmeWebroot,
      all.acmePort, all.trustedProxies, all.corsOrigins),
    Section("Storage and backups", all.storageDir, all.backupDir, all.backupEvery, all.backupKeep),
    Section(
      "The API and its accounts", all.apiFamilies, all.homePage, all.signup, all.getToken, all.tokenLifetime,
      all.refreshLifetime, all.sessionLifetime, all.passwordCost),
    Section(
      "Limits", all.maxPhotoBytes, all.maxPhotos, all.userQuota, all.storageQuota, all.memoryLimit, all.rateLimit),
    Section("Logs and metrics", all.metrics, all.logLevel, all.logFormat, all.logRequests),
    Section(
      "Cluster", all.databaseURL, all.s3Endpoint, all.s3Bucket, all.s3Region, all.s3AccessKeyID, all.s3SecretAccessKey,
      all.s3AddressingStyle, all.s3Redirect, all.sweepAfter),
    Section(
      "Tests", all.ephemeral, all.control, all.controlName, all.controlPassword, all.controlAddress,
      all.journalSize),
  ]
  /// Its rows, in their order.
  static let rows = sections.flatMap(\.rows)
  /// All names that the environment and the configuration file may have.
  static let names = rows.flatMap { [$0.name, $0.fileName].compactMap(\.self) }

  /// The name of a setting of which another name may be a misspelling or the beginning. A short name has
  /// too many neighbors, such as HOME of HOST.
  static func name(like name: String) -> String? {
    let name = name.uppercased()
    let near = name.nearest(among: names.filter { abs($0.count - name.count) <= 2 }) {
      switch $0.count {
      case ...5: 0
      case ...8: 1
      default: 2
      }
    }
    return near ?? names.first { $0.isLongerForm(of: name) }
  }
}

extension SettingTable {
  /// Config/server.env: the settings with their defaults, as comments.
  static var environmentFile: String {
    let head = """
      # Settings of selfie-server. Each commented-out line shows the default. Flags of `selfie-server serve` override the
      # environment, which overrides this file. Relative paths begin in the folder that contains Config.

      """
    return sections.reduce(head) { text, section in
      // A server that keeps nothing is asked for on its command line.
      section.rows.filter { $0.name != all.ephemeral.name }.reduce(text + "\n## \(section.name)\n") { text, row in
        let lines = wrapped("\(row.help) \(row.details)", width: 118)
        return text + "\n" + lines.map { "# \($0)\n" }.joined()
          + "#\(row.name)=\(row.defaultText(isEphemeral: false) ?? "")\n"
      }
    }
  }

  /// The tables of Docs/Settings.md.
  static var markdown: String {
    sections.reduce("") { text, section in
      let head = "\n### \(section.name)\n\n| Name | Default | Meaning |\n|---|---|---|\n"
      return section.rows.reduce(text + head) { text, row in
        let fallback = row.defaultText(isEphemeral: false).map { "`\($0)`" } ?? row.absence
        let meaning = [row.help, row.details, row.link].filter { !$0.isEmpty }.joined(separator: " ")
        return text + "| `\(row.name)` | \(fallback) | \(meaning) |\n"
      }
    }
  }
}

/// The lines of a text, of at most `width` characters.
func wrapped(_ text: String, width: Int) -> [String] {
  text.split(separator: " ").reduce(into: [""]) { lines, word in
    let line = lines.removeLast()
    guard line.count + word.count < width else { return lines += [line, String(word)] }
    lines.append(line.isEmpty ? String(word) : "\(line) \(word)")
  }
}

extension String {
  /// Whether it begins with a word of several parts, such as TLS_CERTIFICATE with TLS_CERT.
  fileprivate func isLongerForm(of word: String) -> Bool {
    word.utf8.count >= 7 && word.utf8.dropFirst(2).contains(UInt8(ascii: "_")) && hasPrefix(word)
  }
}
