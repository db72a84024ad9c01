import HTTPClient
import ObjectStorage
import SelfieAPI

extension PhotoObjects {
  /// - Parameter redirects: whether clients get photos from the store itself.
  package init(in store: ObjectStore, redirects: Bool) {
    let presigned = { @Sendable (id: String, fields: [(name: String, value: String)]) in
      store.presignedURL(of: Self.key(of: id), validFor: Self.secondsOfURL, fields: fields)
    }
    self.init(
      put: { id, file, length, sha256, turn in
        let wasRetried = try await Self.mapping { () async throws(ObjectStoreError) -> Bool in
          try await store.put(
            .file(file, byteCount: length), as: Self.key(of: id), contentType: Self.contentType, digest: sha256,
            turn: turn)
        }
        return .stored(wasRetried: wasRetried)
      },
      get: { id, range, turn in
        try await Self.mapping { () async throws(ObjectStoreError) -> [UInt8] in
          try await store.get(Self.key(of: id), range, turn: turn)
        }
      },
      size: { id, turn in
        try await Self.mapping { () async throws(ObjectStoreError) -> Int64? in
          try await store.head(Self.key(of: id), turn: turn)?.byteCount
        }
      },
      delete: { id in
        try await Self.mapping { () async throws(ObjectStoreError) -> Void in
          try await store.delete(Self.key(of: id))
        }
      },
      presigned: redirects ? presigned : nil)
  }

  /// Below a prefix, so that the bucket can have other things besides.
  private static func key(of id: String) -> String { "\(StorageLayout.photos)/\(id)" }

  /// Those who read an object through this server or by its presigned URL are told the photo's own type.
  private static let contentType = "application/octet-stream"

  /// A client follows a redirect at once, and a response that has begun goes on after this.
  private static let secondsOfURL = 300

  private static func mapping<Result>(
    _ body: () async throws(ObjectStoreError) -> Result
  ) async throws -> Result {
    do throws(ObjectStoreError) {
      return try await body()
    } catch {
      throw Self.error(error)
    }
  }

  private static func error(_ error: ObjectStoreError) -> any Error {
    switch error {
    case .cancelled: CancellationError()
    case .missing: PhotoObjectsError(.missing, error.description)
    case .busy, .unavailable: PhotoObjectsError(.away, error.description)
    // A store that has just started, or an owner who moves the bucket, may have it again soon.
    case .refused where error.isBucketMissing: PhotoObjectsError(.away, error.description)
    case .refused where error.isFull: PhotoObjectsError(.full, error.description)
    case .refused, .untrusted, .malformedResponse, .unreadableContent, .failed:
      PhotoObjectsError(.unexpected, error.description)
    }
  }
}
