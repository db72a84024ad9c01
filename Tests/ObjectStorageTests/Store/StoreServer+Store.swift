import TestSupport

@testable import ObjectStorage

extension StoreServer.Product {
  /// A store of objects on it, with other settings than the server's own where they are given.
  func store(
    secretAccessKey: String? = nil, bucketIsInHost: Bool = false, threads: Int = 2, clock: RetryClock = RetryClock()
  ) async throws -> ObjectStore {
    let access = try await Blocking.run { try server().access }
    // libcurl knows the addresses of all names below localhost.
    let endpoint = bucketIsInHost ? "http://localhost:\(access.port)" : access.endpoint
    let settings = try ObjectStoreSettings(
      endpoint: endpoint, bucket: access.bucket, region: access.region, accessKeyID: access.accessKeyID,
      secretAccessKey: secretAccessKey ?? access.secretAccessKey, bucketIsInHost: bucketIsInHost)
    return ObjectStore(settings, timeouts: ClientTimeouts(), threads: threads, clock: clock)
  }
}
