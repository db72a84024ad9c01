import Cryptography
import Glibc
import Logging
import Platform
import SelfieAPI
import SelfieOperations

/// The values of all settings, checked. `settings.tokenLifetime` is the value of the row `tokenLifetime` in the table.
/// `SettingTable` has names and defaults, and `SettingSources` reads the texts.
@dynamicMemberLookup
struct Settings {
  enum LogFormat: String, CaseIterable {
    case text, json
  }

  /// The running product's connector to a cluster; nil in the default product.
  static let clusterConnector = Monitor<(any ClusterConnector)?>(nil)

  private(set) var sources: SettingSources

  /// - Parameters:
  ///   - isServing: whether they are for a server, which must have a password that cannot be guessed, and a certificate
  ///     that can be used.
  ///   - connector: what the program has for a cluster.
  /// - Throws: an error that lists every problem.
  init(
    _ sources: SettingSources, isServing: Bool = false, cluster connector: (any ClusterConnector)? = nil
  ) throws(ConfigurationError) {
    self.sources = sources
    let wrong = SettingTable.rows.compactMap { row in sources[row].flatMap { row.problem(with: $0) } }
    let problems = sources.problems + wrong + self.problems(isServing: isServing, connector)
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
  }

  subscript<Value>(dynamicMember row: KeyPath<SettingTable, Setting<Value>>) -> Value {
    let setting = SettingTable.all[keyPath: row]
    return setting.value(of: sources[setting], isEphemeral: isEphemeral)
  }

  /// These settings, with the address and the port on which a server listens in fact.
  func listening(on host: String, port: Int) -> Settings {
    var settings = self
    if host != self.host { settings.sources.set(SettingTable.all.host.name, host, from: "systemd") }
    if port != self.port {
      settings.sources.set(SettingTable.all.port.name, "\(port)", from: self.port == 0 ? "PORT=0" : "systemd")
    }
    return settings
  }

  /// Whether to keep nothing. The defaults are for tests then: fixed credentials, a free port and quick hashes.
  var isEphemeral: Bool {
    let ephemeral = SettingTable.all.ephemeral
    return ephemeral.value(of: sources[ephemeral], isEphemeral: false)
  }

  /// Whether there is a control interface for tests.
  var hasControl: Bool { self.control || isEphemeral }

  /// The API's name and password, if the owner chose them.
  var credentials: Credentials? {
    Credentials(self.apiAuthName, self.apiAuthPassword) ?? (isEphemeral ? .forTests : nil)
  }

  /// The control interface's name and password, if the owner chose them.
  var controlCredentials: Credentials? { Credentials(self.controlName, self.controlPassword) }

  /// Nil to speak plain HTTP.
  var tls: TLSFiles? {
    self.tlsCertificate.flatMap { certificate in self.tlsKey.map { TLSFiles(certificate: certificate, key: $0) } }
  }

  /// Whether there is a line for each request.
  var logsRequests: Bool { self.logRequests && self.logLevel <= .info }

  /// The settings as the owner's page shows them.
  var shown: [ShownSetting] {
    SettingTable.sections.flatMap { section in
      section.rows.map { row in
        let value = sources[row].map { row.source == .secret ? "••••••••" : $0 }
        let fallback = row.defaultText(isEphemeral: isEphemeral).map { row.isPath ? sources.path($0) : $0 }
        return ShownSetting(
          subject: section.name, name: row.name, value: value ?? fallback ?? row.absence,
          source: sources.origin(of: row))
      }
    }
  }

  /// The settings that the API itself needs.
  func api(_ credentials: Credentials) -> APISettings {
    var api = APISettings(authName: credentials.name, authPassword: credentials.password)
    for row in SettingTable.rows { row.apply(sources[row], isEphemeral: isEphemeral, to: &api) }
    api.usesTLS = tls != nil
    api.showsCredentials = isEphemeral
    api.hasInspector = hasControl
    // A test suite on another machine may make hundreds of accounts within minutes.
    api.limitsSignups = self.rateLimit && !isEphemeral
    return api
  }
}

// MARK: - The storage

extension Settings {
  var storageDir: String {
    sources[SettingTable.all.storageDir]
      ?? sources.path(SettingTable.all.storageDir.value(of: nil, isEphemeral: false))
  }

  /// Whether the owner set the folder. Such a folder is not made: its name may be misspelled, or its disk not mounted.
  var storageIsChosen: Bool { sources[SettingTable.all.storageDir] != nil }

  /// Whether a first start makes the storage folder.
  var makesStorage: Bool { !storageIsChosen && sources.mayHaveNewStorage }

  /// Refuses a command that is about the files in the storage folder, where a cluster keeps nothing, or which only
  /// another user may read.
  func requireFiles(for command: String, writes: Bool = false) throws(ConfigurationError) {
    guard cluster != nil else { return try requireAccess(writes: writes) }
    throw ConfigurationError(
      """
      \(command) is for a server that keeps everything in its storage folder, and DATABASE_URL is set. The tools of \
      PostgreSQL and of the object store back up a cluster, and restore it.
      """)
  }

  /// The backups that the server makes automatically.
  struct AutomaticBackups {
    let folder: String
    /// In milliseconds.
    let interval: Int64
    let retention: BackupRetention
  }

  /// Nil if the server makes none.
  var backups: AutomaticBackups? {
    guard let folder = self.backupDir, let interval = Self.interval(self.backupEvery),
      let retention = BackupRetention(self.backupKeep), cluster == nil, !isEphemeral
    else { return nil }
    return AutomaticBackups(folder: folder, interval: interval, retention: retention)
  }

  /// The milliseconds between two backups; nil if the text is no time with a unit, or too long.
  static func interval(_ text: String) -> Int64? {
    guard text.last?.isLetter == true, let seconds = parsedSeconds(text), 1...366 * 86_400 ~= seconds else {
      return nil
    }
    return seconds * 1000
  }

  /// Nil for a server that keeps everything in its storage folder.
  var cluster: ClusterSettings? {
    guard let databaseURL = self.databaseURL, let endpoint = self.s3Endpoint, let bucket = self.s3Bucket,
      let region = self.s3Region, let keyID = self.s3AccessKeyID, let key = self.s3SecretAccessKey
    else { return nil }
    return ClusterSettings(
      databaseURL: databaseURL, endpoint: endpoint, bucket: bucket, region: region, accessKeyID: keyID,
      secretAccessKey: key, addressingStyle: self.s3AddressingStyle, redirectsDownloads: self.s3Redirect,
      sweepAfter: self.sweepAfter, maxPhotoBytes: self.maxPhotoBytes)
  }
}

// MARK: - Addresses

extension Settings {
  /// Whether the server listens on every address of the machine.
  var listensEverywhere: Bool { ["0.0.0.0", "::", "*"].contains(self.host) }

  /// Where clients reach the server. A server that listens on every address cannot know which of them a client can
  /// reach, so the owner must fill it in.
  func clientURL(port: Int) -> String {
    self.publicURL ?? url(host: listensEverywhere ? Self.unknownHost : self.host, port: port)
  }

  static let unknownHost = "ADDRESS-OF-THIS-MACHINE"

  /// Whether only programs on this machine can reach the server, as far as its settings tell.
  var isLocal: Bool {
    self.publicURL == nil && (self.host.hasPrefix("127.") || ["localhost", "::1"].contains(self.host))
  }

  /// Where programs on this machine reach the server.
  func localURL(port: Int) -> String {
    url(host: Self.localHost(of: self.host), port: port)
  }

  /// Where programs on this machine reach what listens on a host.
  static func localHost(of host: String) -> String { ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host }

  func url(host: String, port: Int) -> String {
    Self.url(tls == nil ? "http" : "https", host: host, port: port)
  }

  /// An IPv6 address stands in brackets (RFC 3986 §3.2.2).
  static func url(_ scheme: String, host: String, port: Int) -> String {
    "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// Where the owner's browser can open the owner's page: by HTTPS, or on this machine.
  ///
  /// - Parameter certificate: the server's. Under a name that it does not have, the browser would warn of the page.
  func ownerURL(port: Int, certificate: Certificate?) -> String {
    if let publicURL = self.publicURL, PageAccess.canOpen(at: publicURL) { return publicURL }
    let isLocal = tls == nil || listensEverywhere || self.host.hasPrefix("127.")
    var host = isLocal && self.host != "::1" ? "localhost" : self.host
    if let certificate, !certificate.covers(host: host), let other = certificate.hostName { host = other }
    return url(host: host, port: port)
  }

  /// The host of PUBLIC_URL, without a port and brackets; nil if that is not set.
  var publicHost: String? {
    guard let authority = self.publicURL?.split(separator: "://").last?.prefix(while: { $0 != "/" }) else { return nil }
    if authority.first == "[" { return String(authority.dropFirst().prefix { $0 != "]" }) }
    return String(authority.prefix { $0 != ":" })
  }
}
