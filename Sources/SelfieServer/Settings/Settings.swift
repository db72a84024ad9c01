import Glibc
import Logging
import Platform
import SelfieAPI
import SelfieOperations

/// The values of all settings, checked. `settings.tokenLifetime` is the value of the row `tokenLifetime` in the table.
/// `SettingSources` reads the texts.
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
        return (section.name, row.name, value ?? fallback ?? row.absence, sources.origin(of: row))
      }
    }
  }

  /// The settings that the API itself needs.
  func api(_ credentials: Credentials) -> APISettings {
    var api = APISettings(authName: credentials.name, authPassword: credentials.password)
    for row in SettingTable.rows { row.apply(sources[row], isEphemeral: isEphemeral, to: &api) }
    api.usesTLS = tls != nil
    api.showsCredentials = isEphemeral
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

  /// The backups that the server makes automatically, at an interval in milliseconds; nil if it makes none.
  var backups: (folder: String, interval: Int64, retention: BackupRetention)? {
    guard let folder = self.backupDir, let interval = Self.interval(self.backupEvery),
      let retention = BackupRetention(self.backupKeep), cluster == nil, !isEphemeral
    else { return nil }
    return (folder, interval, retention)
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
    self.publicURL ?? url(host: listensEverywhere ? "ADDRESS-OF-THIS-MACHINE" : self.host, port: port)
  }

  func url(host: String, port: Int) -> String {
    Self.url(tls == nil ? "http" : "https", host: host, port: port)
  }

  /// An IPv6 address stands in brackets (RFC 3986 §3.2.2).
  static func url(_ scheme: String, host: String, port: Int) -> String {
    "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// Where the owner's browser can open the owner's page: by HTTPS, or on this machine.
  func ownerURL(port: Int) -> String {
    if let publicURL = self.publicURL, PageAccess.canOpen(at: publicURL) { return publicURL }
    let isLocal = tls == nil || listensEverywhere || self.host.hasPrefix("127.")
    return url(host: isLocal && self.host != "::1" ? "localhost" : self.host, port: port)
  }
}

// Checks the user of this process. `StoragePermissions` in SelfieOperations closes the storage to other users.
extension Settings {
  /// Refuses a storage that this process's user may not use, before anything in it fails to open. Refuses root if what
  /// root creates there would be of no use to the server's user.
  ///
  /// - Parameter writes: whether this process creates files in the storage.
  func requireAccess(writes: Bool = false) throws(ConfigurationError) {
    let (layout, user) = (StorageLayout(folder: storageDir), geteuid())
    let owner = { (path: String) in (try? FileSystem.status(path))?.owner }
    if user == 0 {
      let owners = [layout.folder, layout.database].compactMap(owner)
      guard writes, let owner = owners.first(where: { $0 != 0 }) else { return }
      throw ConfigurationError("\(storageDir) \(belonging(to: owner)) The user could not open what root creates.")
    }
    for path in [layout.folder, layout.lock, layout.photos, layout.incoming, layout.database] {
      let permissions = R_OK | (writes ? W_OK : 0) | (FileSystem.isFolder(path) ? X_OK : 0)
      guard access(path, permissions) != 0, errno == EACCES, let owner = owner(path) else { continue }
      let gift = "as root: chown -R \(user):\(getegid()) \(storageDir)"
      throw ConfigurationError(
        owner == user
          ? "\(path) is closed to its owner. Run chmod u+rwX \(path) or, in a container with SELinux, mount it with :Z."
          : path == layout.folder
            ? "\(path) \(belonging(to: owner))" + (writes ? " If user \(user) is to run the server, run \(gift)" : "")
            : "\(path) belongs to user \(owner), and user \(user), who runs this, may not use it. Run \(gift)")
    }
  }
}

/// The end of a message about what belongs to another user of this machine.
func belonging(to user: uid_t) -> String {
  // As sudo takes both.
  let name = getpwuid(user).map { String(cString: $0.pointee.pw_name) }
  return "belongs to the user \(name ?? "\(user)"). Run the command as that user, with sudo -u \(name ?? "'#\(user)'")."
}

// Checks settings against each other and against files. `SettingKind` checks each text alone.
extension Settings {
  private static let table = SettingTable.all
  private static let requiredOfCluster: [any SettingRow] = [
    table.databaseURL, table.s3Endpoint, table.s3Bucket, table.s3Region, table.s3AccessKeyID, table.s3SecretAccessKey,
  ]
  private static let optionalOfCluster: [any SettingRow] = [
    table.s3AddressingStyle, table.s3Redirect, table.sweepAfter,
  ]

  /// The problems of settings with each other and with the files that they name.
  func problems(isServing: Bool, _ connector: (any ClusterConnector)?) -> [String] {
    pairProblems + nameProblems + passwordProblems(isServing: isServing) + fileProblems(isServing: isServing)
      + clusterProblems(isServing: isServing, connector)
  }

  private var pairProblems: [String] {
    let (table, both) = (Self.table, "Set both or neither.")
    var needs: [(row: any SettingRow, other: any SettingRow, remedy: String)] = [
      (table.apiAuthName, table.apiAuthPassword, both), (table.apiAuthPassword, table.apiAuthName, both),
      (table.controlName, table.controlPassword, both), (table.controlPassword, table.controlName, both),
      (table.tlsCertificate, table.tlsKey, both), (table.tlsKey, table.tlsCertificate, both),
      (table.apiAuthPasswordPrevious, table.apiAuthPassword, "Set both."),
    ]
    if givenOfCluster.isEmpty {
      needs += [table.backupEvery, table.backupKeep].map { ($0, table.backupDir, "Set that folder as well.") }
    }
    return needs.filter { sources[$0.row] != nil && sources[$0.other] == nil }
      .map { "\($0.row.name) is set, but \($0.other.name) is not. \($0.remedy)" }
  }

  /// A colon would end the name (RFC 7617 §2).
  private var nameProblems: [String] {
    [Self.table.apiAuthName, Self.table.controlName].filter { sources[$0]?.contains(":") == true }
      .map { "\($0.name) must not contain a colon." }
  }

  private func passwordProblems(isServing: Bool) -> [String] {
    let weakness = isServing && !isEphemeral ? credentials?.weakness : nil
    let isSame = self.apiAuthPasswordPrevious != nil && self.apiAuthPasswordPrevious == self.apiAuthPassword
    let same = "API_AUTH_PASSWORD_PREVIOUS is the same as API_AUTH_PASSWORD. Remove it, or set a new password."
    return [weakness.map { Credentials.refusal(of: "API_AUTH_PASSWORD", because: $0) }, isSame ? same : nil]
      .compactMap(\.self)
  }

  private func fileProblems(isServing: Bool) -> [String] {
    var problems: [String] = []
    do throws(ConfigurationError) {
      if isServing, let tls { _ = try tls.certifiedKey(tls.contents()) }
    } catch {
      problems = error.problems
    }
    if let acmeWebroot = self.acmeWebroot, !FileSystem.isFolder(acmeWebroot) {
      problems.append("\(Self.table.acmeWebroot.name) is \(acmeWebroot), but there is no such folder.")
    }
    return problems
  }

  // MARK: - A cluster

  private var givenOfCluster: [any SettingRow] {
    (Self.requiredOfCluster + Self.optionalOfCluster).filter { sources[$0] != nil }
  }

  private func clusterProblems(isServing: Bool, _ connector: (any ClusterConnector)?) -> [String] {
    guard let first = givenOfCluster.first?.name else { return [] }
    guard let connector else {
      let remedy = "Install selfie-server-cluster, or remove these settings."
      return ["\(Self.listed(givenOfCluster)) set, but selfie-server keeps everything in its storage folder. \(remedy)"]
    }
    let table = Self.table
    var problems: [String] = []
    func refuse(_ rows: [any SettingRow], because reason: String) {
      for row in rows where sources[row].map({ $0.lowercased() != "off" }) ?? false {
        problems.append("\(row.name) cannot be set together with \(first): \(reason).")
      }
    }
    if hasControl { refuse([table.ephemeral, table.control], because: "test servers keep their data in files") }
    refuse(
      [table.backupDir, table.backupEvery, table.backupKeep],
      because: "back up a cluster with the tools of PostgreSQL and of the object store")
    if isServing && self.apiAuthName == nil && self.apiAuthPassword == nil {
      problems.append(
        "API_AUTH_NAME and API_AUTH_PASSWORD are not set, but \(first) is. All servers of a cluster need the same ones."
      )
    }
    guard let cluster else {
      let missing = Self.requiredOfCluster.filter { sources[$0] == nil }
      return problems + [
        "\(Self.listed(givenOfCluster)) set, but \(Self.listed(missing)) not. Set both PostgreSQL and S3, or neither."
      ]
    }
    return problems + connector.problems(of: cluster)
  }

  /// The names with their verb.
  private static func listed(_ rows: [any SettingRow]) -> String {
    "\(rows.map(\.name).joined(separator: ", ")) \(rows.count == 1 ? "is" : "are")"
  }
}
