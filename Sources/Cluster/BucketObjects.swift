import ObjectStorage
package import Platform
import SelfieAPI

/// The photos' bytes in the bucket of an object store. This type names the objects and translates errors, and
/// `ObjectStore` in ObjectStorage sends the requests.
package struct BucketObjects: PhotoObjects {
  let store: ObjectStore
  /// Whether clients get photos from the store itself.
  let redirects: Bool

  package func put(
    _ id: String, _ file: OpenFile, byteCount: Int64, sha256: [UInt8], flow: Flow
  ) async throws -> Bool {
    try await Self.translatingErrors {
      try await store.put(
        .file(file, byteCount: byteCount), as: Self.key(of: id), contentType: Self.contentType, digest: sha256,
        flow: flow)
    }
  }

  package func get(_ id: String, _ range: Range<Int64>, flow: Flow) async throws -> [UInt8] {
    try await Self.translatingErrors { try await store.get(Self.key(of: id), range, flow: flow) }
  }

  package func size(_ id: String, flow: Flow) async throws -> Int64? {
    try await Self.translatingErrors { try await store.size(of: Self.key(of: id), flow: flow) }
  }

  package func delete(_ id: String) async throws {
    try await Self.translatingErrors { try await store.delete(Self.key(of: id)) }
  }

  package func presignedURL(of id: String, fields: [(name: String, value: String)]) -> String? {
    redirects ? store.presignedURL(of: Self.key(of: id), validFor: Self.secondsOfURL, fields: fields) : nil
  }

  package var statistics: ClientStatistics? { store.statistics }

  package func close() { store.shutDown() }

  /// Below a prefix, so that the bucket can have other things besides.
  private static func key(of id: String) -> String { "\(StorageLayout.photos)/\(id)" }

  /// Those who read an object through this server or by its presigned URL get the photo's own type.
  private static let contentType = "application/octet-stream"

  /// A client follows a redirect at once, and a response that has begun goes on after this.
  private static let secondsOfURL = 300

  private static func translatingErrors<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as ObjectStoreError {
      let kind: PhotoObjectsError.Kind =
        switch error {
        case .cancelled: throw CancellationError()
        case .missing: .missing
        // A store that has just started, or an owner who moves the bucket, may have it again soon.
        case .busy, .unavailable,
          _ where error.isBucketMissing:
          .away
        case _ where error.isFull: .full
        default: .unexpected
        }
      throw PhotoObjectsError(kind, error.description)
    }
  }
}
