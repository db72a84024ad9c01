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
      endpoint: endpoint, bucket: bucket, region: region, accessKeyID: accessKeyID, secretAccessKey: secretAccessKey)
  }
}
