import SelfieOperations

extension SettingReader {
  private static let required: [Setting] = [
    .databaseURL, .s3Endpoint, .s3Bucket, .s3Region, .s3AccessKeyID, .s3SecretAccessKey,
  ]
  private static let optional: [Setting] = [.s3AddressingStyle, .s3Redirect, .sweepAfter]
  private static let ages = 600...31_536_000
  private static let defaultAge = 86_400

  /// Nil for a server that keeps everything in its storage folder.
  ///
  /// - Parameters:
  ///   - support: what the program has for a cluster.
  ///   - isForTests: whether the control interface is on.
  ///   - isServing: whether the API's credentials are needed.
  mutating func cluster(
    _ support: (any ClusterSupport)?, maxPhotoBytes: Int, isForTests: Bool, isServing: Bool
  ) -> ClusterSettings? {
    let given = (Self.required + Self.optional).filter { text($0) != nil }
    guard let first = given.first?.rawValue else { return nil }
    guard let support else {
      report(
        """
        \(Self.listed(given)) set, but this program keeps everything in its storage folder. Install \
        selfie-server-cluster, which keeps accounts in PostgreSQL and photos in S3, or remove what is set.
        """)
      return nil
    }
    if isForTests { refuse(.ephemeral, .control, with: first, because: "servers for tests keep their data in files") }
    refuse(
      .backupDir, .backupEvery, .backupKeep, with: first,
      because: "the tools of PostgreSQL and of the object store back up a cluster")
    if isServing && text(.apiAuthName) == nil && text(.apiAuthPassword) == nil {
      report(
        """
        API_AUTH_NAME and API_AUTH_PASSWORD are not set, but \(first) is. All servers of a cluster need the same, so \
        none can make its own.
        """)
    }
    let addressingStyle = choice(.s3AddressingStyle, of: ClusterSettings.AddressingStyle.allCases, default: .path)
    let redirectsDownloads = isOn(.s3Redirect, default: false)
    let sweepAfter = number(.sweepAfter, of: .seconds, in: Self.ages, default: Self.defaultAge)
    guard let databaseURL = text(.databaseURL), let endpoint = text(.s3Endpoint), let bucket = text(.s3Bucket),
      let region = text(.s3Region), let accessKeyID = text(.s3AccessKeyID),
      let secretAccessKey = text(.s3SecretAccessKey)
    else {
      let missing = Self.required.filter { text($0) == nil }
      report("\(Self.listed(given)) set, but \(Self.listed(missing)) not. Set both PostgreSQL and S3, or neither.")
      return nil
    }
    let settings = ClusterSettings(
      databaseURL: databaseURL, endpoint: endpoint, bucket: bucket, region: region, accessKeyID: accessKeyID,
      secretAccessKey: secretAccessKey, addressingStyle: addressingStyle, redirectsDownloads: redirectsDownloads,
      sweepAfter: sweepAfter, maxPhotoBytes: maxPhotoBytes)
    for problem in support.problems(of: settings) { report(problem) }
    return settings
  }

  private mutating func refuse(_ settings: Setting..., with other: String, because reason: String) {
    for setting in settings where text(setting) != nil && text(setting)?.lowercased() != "off" {
      report("\(setting.rawValue) cannot be set together with \(other): \(reason).")
    }
  }

  /// The names with their verb.
  private static func listed(_ settings: [Setting]) -> String {
    let names = settings.map(\.rawValue)
    return "\(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are")"
  }
}
