package import HTTPMessages
package import Platform

/// Where the photos' bytes are: in files, or in objects. It has the order in which these and the photos' rows change.
/// `FileBytes` and `ObjectBytes` implement it.
package protocol PhotoBytes: Sendable {
  /// Steps 2 to 5 of an upload, as in Docs/Durability.md. Returns when the photo's bytes and its row are stored for good.
  ///
  /// - Throws: `Refusal`. Like after other errors, the photo is discarded then.
  func store(_ upload: PhotoUpload, as photo: Photo, by token: Token, within limits: PhotoLimits, flow: Flow)
    async throws

  /// The bytes of a photo, from `offset` on; nil if there are none, or another number of them.
  ///
  /// - Parameters:
  ///   - byteCount: of the whole photo.
  ///   - isFetched: false if only the length of the body is needed.
  ///   - flow: whose request this is.
  ///   - memory: counts what is fetched, until the server counts it.
  func body(
    of id: String, byteCount: Int64, offset: Int64, length: Int64, isFetched: Bool, flow: @autoclosure () -> Flow,
    memory: MemoryBudget
  ) async throws -> Response.Body?

  /// The number of a photo's bytes; nil if there are none.
  func size(of id: String) async throws -> Int64?

  /// An address elsewhere from which anybody may get a photo for a while; nil if clients are to get it from here.
  func address(of id: String, contentType: String) -> String?

  /// Removes the bytes of a photo whose row was deleted. What cannot be removed now is left to `purge`.
  func remove(_ id: String) async

  /// Removes what uploads and deletions have left. To be called from time to time.
  func purge() async throws

  /// Computes the digests of photos that were uploaded since the last call. No upload waits for this: to compute the
  /// digest of a megabyte takes as long as to receive and write it.
  ///
  /// - Parameters:
  ///   - all: also looks again at older photos whose bytes were missing or had another length.
  ///   - mayGoOn: asked before each photo. What is left after a no is for the next call.
  func noteDigests(ofAll all: Bool, while mayGoOn: @Sendable () -> Bool) async throws

  /// Checks that the place is there.
  func probe() async throws

  /// The folder of all that is stored; nil if other machines have it.
  var layout: StorageLayout? { get }
}
