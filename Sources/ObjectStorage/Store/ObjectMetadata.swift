import HTTPClient

/// What an object store says of an object.
public struct ObjectMetadata: Sendable, Equatable {
  public let byteCount: Int64
  public let contentType: String?

  /// Nil if the response does not say how long the object is.
  init?(_ response: ClientResponse) {
    guard let byteCount = response["content-length"].flatMap({ Int64($0) }), byteCount >= 0 else { return nil }
    self.byteCount = byteCount
    contentType = response["content-type"]
  }
}
