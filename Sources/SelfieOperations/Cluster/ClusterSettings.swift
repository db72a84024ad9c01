/// Where a cluster keeps accounts and photos: the values of DATABASE_URL and of the settings of S3, as the owner wrote
/// them. `SettingSources` in SelfieServer reads them, and a `ClusterConnector` checks them and opens what they name.
package struct ClusterSettings: Sendable {
  /// How requests to the object store name the bucket, as botocore calls it.
  package enum AddressingStyle: String, CaseIterable, Sendable {
    /// In the path: `https://s3.example/bucket/key`.
    case path
    /// In the host: `https://bucket.s3.example/key`.
    case virtual
  }

  /// Has a password in it.
  package let databaseURL: String
  package let endpoint: String
  package let bucket: String
  package let region: String
  package let accessKeyID: String
  package let secretAccessKey: String
  package let addressingStyle: AddressingStyle
  /// Whether downloads are redirected to the object store.
  package let redirectsDownloads: Bool
  /// The age in seconds at which a sweep removes what a process left unfinished.
  package let sweepAfter: Int
  package let maxPhotoBytes: Int

  package init(
    databaseURL: String, endpoint: String, bucket: String, region: String, accessKeyID: String, secretAccessKey: String,
    addressingStyle: AddressingStyle, redirectsDownloads: Bool, sweepAfter: Int, maxPhotoBytes: Int
  ) {
    self.databaseURL = databaseURL
    self.endpoint = endpoint
    self.bucket = bucket
    self.region = region
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.addressingStyle = addressingStyle
    self.redirectsDownloads = redirectsDownloads
    self.sweepAfter = sweepAfter
    self.maxPhotoBytes = maxPhotoBytes
  }
}

extension ClusterSettings: CustomStringConvertible, CustomReflectable {
  package var description: String { "bucket \(bucket) at \(endpoint)" }

  /// Without the members, some of which are secrets.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
