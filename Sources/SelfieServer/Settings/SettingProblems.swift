import Glibc
import Platform
import SelfieAPI
import SelfieOperations

// Checks settings against each other, against files, and against the user of this process. `SettingKind` checks each
// text alone, and `StoragePermissions` in SelfieOperations closes the storage to other users.
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
    pairProblems + portProblems + nameProblems + passwordProblems(isServing: isServing)
      + fileProblems(isServing: isServing)
      + clusterProblems(isServing: isServing, connector)
  }

  private var pairProblems: [String] {
    let table = Self.table
    var problems: [String] = []
    func require(_ other: any SettingRow, with row: any SettingRow, _ remedy: String) {
      guard sources[row] != nil, sources[other] == nil else { return }
      problems.append("\(row.name) is set, but \(other.name) is not. \(remedy)")
    }
    func requireBoth(_ first: any SettingRow, _ second: any SettingRow) {
      require(second, with: first, "Set both or neither.")
      require(first, with: second, "Set both or neither.")
    }
    requireBoth(table.apiAuthName, table.apiAuthPassword)
    requireBoth(table.controlName, table.controlPassword)
    requireBoth(table.tlsCertificate, table.tlsKey)
    require(table.apiAuthPassword, with: table.apiAuthPasswordPrevious, "Set both.")
    if givenOfCluster.isEmpty {
      require(table.backupDir, with: table.backupEvery, "Set that folder as well.")
      require(table.backupDir, with: table.backupKeep, "Set that folder as well.")
    }
    return problems
  }

  /// Settings that ask for the port of the server once more, which would then seem to be another program's.
  private var portProblems: [String] {
    let table = Self.table
    let addresses = [(table.metrics.name, self.metrics), (table.controlAddress.name, self.controlAddress)]
    return addresses.compactMap { name, address in
      guard let address, address.port == self.port, self.port != 0,
        [address.host, "0.0.0.0", "::"].contains(self.host)
      else { return nil }
      return "\(name) has the port \(self.port), which is PORT. Give it another one."
    }
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
      let remedy = """
        Install selfie-server-cluster, which keeps accounts in PostgreSQL and photos in S3, or remove these settings.
        """
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
        "API_AUTH_NAME and API_AUTH_PASSWORD are not set, but \(first) is. All servers of a cluster need the same ones, "
          + "so a server cannot generate them."
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
