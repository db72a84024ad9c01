import TestSupport

@testable import ObjectStorage

extension StoreServer.Product {
  /// A store of objects on it, with other settings than the server's own where they are given.
  func store(
    region: String? = nil, accessKeyID: String? = nil, secretAccessKey: String? = nil, bucket: String? = nil,
    style: ObjectStoreSettings.Style = .path, threads: Int = 2, clock: RetryClock = RetryClock()
  ) async throws -> ObjectStore {
    let access = try await Blocking.run { try server().access }
    // libcurl knows the addresses of all names below localhost.
    let endpoint = style == .path ? access.endpoint : "http://localhost:\(access.port)"
    let settings = try ObjectStoreSettings(
      endpoint: endpoint, bucket: bucket ?? access.bucket, region: region ?? access.region,
      accessKeyID: accessKeyID ?? access.accessKeyID, secretAccessKey: secretAccessKey ?? access.secretAccessKey,
      style: style)
    return ObjectStore(settings, timeouts: ClientTimeouts(), threads: threads, clock: clock)
  }
}
