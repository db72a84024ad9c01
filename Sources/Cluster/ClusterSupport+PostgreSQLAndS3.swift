import HTTPClient
import ObjectStorage
import PostgreSQL
import SQL
import SelfieServerCommands

extension ClusterSupport {
  /// What the product `selfie-server-cluster` has.
  package static let postgreSQLAndS3 = ClusterSupport(
    problems: { settings in
      var problems: [String] = []
      do throws(DatabaseURLError) {
        _ = try settings.database()
      } catch {
        problems.append("\(error).")
      }
      do throws(InvalidObjectStoreSettings) {
        _ = try settings.objectStore()
      } catch {
        problems += error.problems
      }
      if let problem = settings.sweepProblem { problems.append(problem) }
      return problems
    },
    open: { settings, migrations, loops in
      try ClusterStart(settings, migrations: migrations, loops: loops).open()
    },
    connect: { settings in try ClusterStart(settings, migrations: Migrations([]), loops: 0).connect() })
}

extension ClusterSettings {
  func database() throws(DatabaseURLError) -> DatabaseURL {
    try DatabaseURL(databaseURL)
  }

  func objectStore() throws(InvalidObjectStoreSettings) -> ObjectStoreSettings {
    try ObjectStoreSettings(
      endpoint: endpoint, bucket: bucket, region: region, accessKeyID: accessKeyID, secretAccessKey: secretAccessKey,
      style: addressingStyle == .virtual ? .virtual : .path)
  }

  /// A sweep that came earlier would take an upload under way for one that a process has left behind.
  fileprivate var sweepProblem: String? {
    let longest = (RetryPolicy().maxElapsed + ClientTimeouts().whole(forBytes: Int64(maxPhotoBytes))) / 1000
    // It may wait as long for other uploads.
    let least = 2 * longest
    guard sweepAfter < least else { return nil }
    return """
      SWEEP_AFTER is \(sweepAfter). It must be at least \(least) where MAX_PHOTO_BYTES is \(maxPhotoBytes): the object \
      store may take that long for the largest photo.
      """
  }
}
