import ArgumentParser
import Platform
import SelfieAPI

/// `selfie-server serve`: the flags for settings that the environment and the configuration file can give too.
struct Serve: Command, ConfigurationSource {
  static let configuration = CommandConfiguration(
    abstract: "Serve until SIGTERM or SIGINT.",
    discussion: """
      Every option is also a setting of the environment and of Config/server.env: --public-url is PUBLIC_URL.

      EXAMPLES
        selfie-server serve
        selfie-server serve --port 8080 --storage-dir /var/lib/selfie-server
        selfie-server serve --ephemeral --ready-file /tmp/selfie.json
      """)

  @Option(help: ConfigurationHelp.config) var config: String?
  @Option(help: ConfigurationHelp.home) var home: String?
  @Option(help: ConfigurationHelp.storageDir) var storageDir: String?

  @Option(help: "The user name of HTTP Basic authentication. (default: made at the first start)")
  var apiAuthName: String?

  @Option(help: "Its password. Everybody on the machine can read it here, but not in the environment or the file.")
  var apiAuthPassword: String?

  @Option(help: "The password before that, which is valid too. Everybody on the machine can read it here.")
  var apiAuthPasswordPrevious: String?

  @Option(help: "The address to listen on. (default: \(Settings.defaultHost))")
  var host: String?

  @Option(help: "The port to listen on; 0 picks a free one. (default: \(Settings.defaultPort))")
  var port: String?

  @Option(help: "Where clients reach the server, such as https://selfies.example. (default: the Host they ask for)")
  var publicURL: String?

  @Option(help: "The PEM file of the server's certificate and its chain: the server then speaks HTTPS. (default: none)")
  var tlsCertificate: String?

  @Option(help: "The file of the certificate's private key (PEM). (default: none)")
  var tlsKey: String?

  @Option(help: "The folder in which lego or certbot leave the challenges of ACME. (default: none)")
  var acmeWebroot: String?

  @Option(help: "The plain port for these challenges, next to HTTPS. (default: 80)")
  var acmePort: String?

  @Option(help: "The apps whose addresses the server has. (default: selfie,microblog,notes)")
  var apiFamilies: String?

  @Option(help: "The page at / that says what the server is, with forms to try it: on or off. (default: on)")
  var homePage: String?

  @Option(help: "Who makes accounts: open (everybody) or closed (the owner). (default: open)")
  var signup: String?

  @Option(help: "What get_token requires: email, password or off. (default: \(Self.api.getToken.rawValue))")
  var getToken: String?

  @Option(help: "How long a token lives, such as 30d; seconds without a unit. (default: \(Self.api.tokenLifetime))")
  var tokenLifetime: String?

  @Option(help: "How long after its end a token can be refreshed, such as 30d. (default: \(Self.api.refreshLifetime))")
  var refreshLifetime: String?

  @Option(
    help:
      "How long a session of the Microblog app lives without use, such as 30d. (default: \(Self.api.sessionLifetime))")
  var sessionLifetime: String?

  @Option(help: "bcrypt's cost, 4 to 31. (default: \(Self.api.passwordCost))")
  var passwordCost: String?

  @Option(help: "The largest photo, such as 64M. (default: \(Self.api.maxPhotoBytes))")
  var maxPhotoBytes: String?

  @Option(help: "The photos that an account may have. (default: \(Self.api.maxPhotos))")
  var maxPhotos: String?

  @Option(help: "The size of all photos that an account may have, such as 500M; 0 means any. (default: 0)")
  var userQuota: String?

  @Option(help: "The size of all photos that the server may have, such as 10G; 0 means any. (default: 0)")
  var storageQuota: String?

  @Option(
    help: "The memory that clients may make the server hold, such as 256M. (default: \(MemoryBudget.defaultLimit))")
  var memoryLimit: String?

  @Option(help: "Limit attempts to guess passwords, and sign-ups: on or off. (default: on)")
  var rateLimit: String?

  @Option(help: "Addresses and networks of the proxies whose X-Forwarded-For or Forwarded is trusted. (default: none)")
  var trustedProxies: String?

  @Option(help: "The origins of the web pages that may use the API, such as https://app.example, or *. (default: none)")
  var corsOrigins: String?

  @Option(help: "For selfie-server-cluster: its database, postgres://USER:PASSWORD@HOST/NAME. (default: none)")
  var databaseURL: String?

  @Option(help: "For selfie-server-cluster: the object store, such as https://s3.example. (default: none)")
  var s3Endpoint: String?

  @Option(help: "The bucket there that has the photos. (default: none)")
  var s3Bucket: String?

  @Option(help: "The region of the bucket, such as eu-central-1. (default: none)")
  var s3Region: String?

  @Option(help: "The name of the key for the object store. (default: none)")
  var s3AccessKeyID: String?

  @Option(help: "The key. Everybody on the machine can read it here, but not in the environment or the file.")
  var s3SecretAccessKey: String?

  @Option(help: "Where requests name the bucket: path, or virtual for the host, as bucket.s3.example. (default: path)")
  var s3AddressingStyle: String?

  @Option(help: "Whether downloads are redirected to the object store: on or off. (default: off)")
  var s3Redirect: String?

  @Option(help: "The age, such as 24h, at which a cluster removes what a server left unfinished. (default: a day)")
  var sweepAfter: String?

  @Option(help: "The folder into which the server puts backups by itself. (default: none are made)")
  var backupDir: String?

  @Option(help: "How long after a backup the next one is made: 30m, 24h, 7d. (default: 24h)")
  var backupEvery: String?

  @Option(help: "Which backups are kept: the newest of days and weeks, or so many. (default: 7d,4w)")
  var backupKeep: String?

  @Option(help: "The address and port on which Prometheus can read metrics, such as 127.0.0.1:9464. (default: none)")
  var metrics: String?

  @Option(help: "The lowest level to log: trace, debug, info, notice, warning, error or critical. (default: info)")
  var logLevel: String?

  @Option(help: "How log lines are written: text or json. (default: text)")
  var logFormat: String?

  @Option(help: "Whether the log has a line for each request, at the level info: on or off. (default: on)")
  var logRequests: String?

  @OptionGroup(title: "For tests") var testing: TestingOptions

  private static let api = APISettings.defaults

  var flags: [Setting: String?] {
    [
      .storageDir: storageDir,
      .apiAuthName: apiAuthName, .apiAuthPassword: apiAuthPassword, .apiAuthPasswordPrevious: apiAuthPasswordPrevious,
      .host: host, .port: port, .publicURL: publicURL,
      .tlsCertificate: tlsCertificate, .tlsKey: tlsKey, .acmeWebroot: acmeWebroot, .acmePort: acmePort,
      .apiFamilies: apiFamilies, .homePage: homePage, .signup: signup, .getToken: getToken,
      .tokenLifetime: tokenLifetime, .refreshLifetime: refreshLifetime, .sessionLifetime: sessionLifetime,
      .passwordCost: passwordCost,
      .maxPhotoBytes: maxPhotoBytes, .maxPhotos: maxPhotos, .userQuota: userQuota,
      .storageQuota: storageQuota, .memoryLimit: memoryLimit, .rateLimit: rateLimit,
      .trustedProxies: trustedProxies, .corsOrigins: corsOrigins,
      .databaseURL: databaseURL, .s3Endpoint: s3Endpoint, .s3Bucket: s3Bucket, .s3Region: s3Region,
      .s3AccessKeyID: s3AccessKeyID, .s3SecretAccessKey: s3SecretAccessKey,
      .s3AddressingStyle: s3AddressingStyle, .s3Redirect: s3Redirect, .sweepAfter: sweepAfter,
      .backupDir: backupDir, .backupEvery: backupEvery, .backupKeep: backupKeep, .metrics: metrics,
      .logLevel: logLevel, .logFormat: logFormat, .logRequests: logRequests,
    ]
  }
}
