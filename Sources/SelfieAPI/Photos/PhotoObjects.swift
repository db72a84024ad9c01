import Platform

/// The photos' bytes in an object store that several servers share: a value of closures, so that the product needs no
/// client of such a store. An object is named by its photo's id, and its content never changes.
///
/// Each closure returns on the executor of its caller, and throws ``PhotoObjectsError`` or, where its task was cancelled,
/// `CancellationError`.
package struct PhotoObjects: Sendable {
  /// What came of storing an object.
  package enum PutOutcome: Sendable, Equatable {
    /// It is stored. Where the request was sent more than once, an earlier one may still arrive, and store it again.
    case stored(wasRetried: Bool)

    var wasRetried: Bool {
      switch self {
      case .stored(let wasRetried): wasRetried
      }
    }
  }

  package typealias Put =
    @Sendable (_ id: String, _ file: OpenFile, _ length: Int64, _ sha256: [UInt8], Turn) async throws -> PutOutcome
  package typealias Get = @Sendable (_ id: String, _ range: Range<Int64>, Turn) async throws -> [UInt8]
  package typealias Size = @Sendable (_ id: String, Turn) async throws -> Int64?

  private let putObject: Put
  private let getObject: Get
  private let sizeOfObject: Size
  /// Deletes an object, if there is one.
  package let delete: @Sendable (_ id: String) async throws -> Void
  /// An address at the store where anybody may read an object for a while. The response there has the given fields in
  /// place of the store's own: of them, S3 knows `content-type`, `content-disposition` and `cache-control`. Nil if
  /// clients are to get photos from this server only.
  package let presigned: (@Sendable (_ id: String, _ fields: [(name: String, value: String)]) -> String)?

  package init(
    put: @escaping Put, get: @escaping Get, size: @escaping Size,
    delete: @escaping @Sendable (_ id: String) async throws -> Void,
    presigned: (@Sendable (_ id: String, _ fields: [(name: String, value: String)]) -> String)? = nil
  ) {
    putObject = put
    getObject = get
    sizeOfObject = size
    self.delete = delete
    self.presigned = presigned
  }

  /// Stores the first bytes of a file, whose SHA-256 is known.
  ///
  /// - Parameter turn: for whom this is done. Where requests wait for the store, clients take turns.
  package func put(
    _ id: String, _ file: OpenFile, _ length: Int64, _ sha256: [UInt8], turn: Turn = Turn()
  ) async throws -> PutOutcome {
    try await putObject(id, file, length, sha256, turn)
  }

  /// The bytes of a range, all of which the object has; at most `BodyStream.maxPieceBytes`, and at least one.
  package func get(_ id: String, _ range: Range<Int64>, turn: Turn = Turn()) async throws -> [UInt8] {
    try await getObject(id, range, turn)
  }

  /// How many bytes an object has; nil if there is none.
  package func size(_ id: String, turn: Turn = Turn()) async throws -> Int64? {
    try await sizeOfObject(id, turn)
  }
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
  package let message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  package var description: String { message }
}
