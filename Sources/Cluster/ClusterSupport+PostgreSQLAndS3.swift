import ObjectStorage
import SelfieServerCommands

extension ClusterSupport {
  /// What the product `selfie-server-cluster` has.
  package static let postgreSQLAndS3 = ClusterSupport { settings in
    problems(of: settings) + [
      "DATABASE_URL is set, but this version of selfie-server-cluster keeps everything in its storage folder, too."
    ]
  }

  private static func problems(of settings: ClusterSettings) -> [String] {
    do throws(InvalidObjectStoreSettings) {
      _ = try ObjectStoreSettings(
        endpoint: settings.endpoint, bucket: settings.bucket, region: settings.region,
        accessKeyID: settings.accessKeyID, secretAccessKey: settings.secretAccessKey)
      return []
    } catch {
      return error.problems
    }
  }
}
