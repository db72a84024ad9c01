package import Platform

/// The photos' bytes in an object store that several servers share. An object is named by its photo's id, and its
/// content never changes. `ObjectBytes` has the order of steps, and `BucketObjects` in Cluster sends the requests.
///
/// Each function throws ``PhotoObjectsError`` or, where its task was cancelled, `CancellationError`.
package protocol PhotoObjects: Sendable {
  /// Stores the first bytes of a file.
  ///
  /// - Parameter flow: for whom this is done. Where requests wait for the store, clients take turns.
  /// - Returns: whether the request was sent more than once: an earlier one may still arrive, and store the object again.
  func put(_ id: String, _ file: OpenFile, byteCount: Int64, sha256: [UInt8], flow: Flow) async throws -> Bool

  /// The bytes of a range, all of which the object has; at most `BodyStream.maxPieceBytes`, and at least one.
  func get(_ id: String, _ range: Range<Int64>, flow: Flow) async throws -> [UInt8]

  /// The number of an object's bytes; nil if there is none.
  func size(_ id: String, flow: Flow) async throws -> Int64?

  /// Deletes an object, if there is one.
  func delete(_ id: String) async throws

  /// An address at the store where anybody may read an object for a while. The response there has the given fields in
  /// place of the store's own: of them, S3 knows `content-type`, `content-disposition` and `cache-control`. Nil if
  /// clients are to get photos from this server only.
  func presignedURL(of id: String, fields: [(name: String, value: String)]) -> String?

  /// Nil if nothing is counted.
  var statistics: ClientStatistics? { get }

  /// Waits for the requests under way, and closes the connections. Blocks meanwhile.
  func close()
}

extension PhotoObjects {
  package func size(_ id: String) async throws -> Int64? { try await size(id, flow: Flow()) }
}

/// Why an object store did not do what it was asked for.
package struct PhotoObjectsError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Kind: Sendable, Equatable {
    /// There is no such object. Only `get` throws this.
    case missing
    /// The store cannot be reached, is too slow, or has too much to do. It may do it later. What was to be put or
    /// deleted may be so already.
    case away
    /// The store, or the bucket, has no more room.
    case full
    /// Anything else: a mistake in the settings or in the program.
    case unexpected
  }

  package let kind: Kind
  /// What happened, in English and without a secret, for the log.
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
