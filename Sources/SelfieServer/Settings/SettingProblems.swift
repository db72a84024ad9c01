import SelfieOperations
import Platform

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
    let table = Self.table
    return pairProblems(table.apiAuthName, table.apiAuthPassword)
      + pairProblems(table.controlName, table.controlPassword)
      + pairProblems(table.tlsCertificate, table.tlsKey)
      + nameProblems + passwordProblems(isServing: isServing) + fileProblems(isServing: isServing)
      + clusterProblems(isServing: isServing, connector) + backupProblems
  }

  private func pairProblems(_ first: any SettingRow, _ second: any SettingRow) -> [String] {
    problem(first, needs: second, "Set both or neither.") + problem(second, needs: first, "Set both or neither.")
  }

  private func problem(_ row: any SettingRow, needs other: any SettingRow, _ remedy: String) -> [String] {
    guard sources[row] != nil, sources[other] == nil else { return [] }
    return ["\(row.name) is set, but \(other.name) is not. \(remedy)"]
  }

  /// A colon would end the name (RFC 7617 §2).
  private var nameProblems: [String] {
    [Self.table.apiAuthName, Self.table.controlName].filter { sources[$0]?.contains(":") == true }
      .map { "\($0.name) must not contain a colon." }
  }

  private func passwordProblems(isServing: Bool) -> [String] {
    var problems: [String] = []
    let (current, previous) = (Self.table.apiAuthPassword.name, Self.table.apiAuthPasswordPrevious.name)
    if isServing, !isEphemeral, let weakness = credentials?.weakness {
      problems.append(Credentials.refusal(of: current, because: weakness))
    }
    problems += problem(Self.table.apiAuthPasswordPrevious, needs: Self.table.apiAuthPassword, "Set both.")
    if let old = self.apiAuthPasswordPrevious, old == self.apiAuthPassword {
      problems.append("\(previous) is the same as \(current). Remove it, or set a new password.")
    }
    return problems
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

  private var backupProblems: [String] {
    guard givenOfCluster.isEmpty else { return [] }
    return [Self.table.backupEvery, Self.table.backupKeep].flatMap {
      problem($0, needs: Self.table.backupDir, "Set that folder as well.")
    }
  }

  // MARK: - A cluster

  private var givenOfCluster: [any SettingRow] {
    (Self.requiredOfCluster + Self.optionalOfCluster).filter { sources[$0] != nil }
  }

  private func clusterProblems(isServing: Bool, _ connector: (any ClusterConnector)?) -> [String] {
    guard let first = givenOfCluster.first?.name else { return [] }
    guard let connector else {
      return [
        """
        \(Self.listed(givenOfCluster)) set, but selfie-server keeps everything in its storage folder. Install \
        selfie-server-cluster, which keeps accounts in PostgreSQL and photos in S3, or remove these settings.
        """
      ]
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
        """
        API_AUTH_NAME and API_AUTH_PASSWORD are not set, but \(first) is. All servers of a cluster need the same \
        ones, so a server cannot generate them.
        """)
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
