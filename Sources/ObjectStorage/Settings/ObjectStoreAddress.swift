/// Where a bucket is: the parts of the URLs of its objects.
public struct ObjectStoreAddress: Sendable, Equatable {
  /// How the bucket is named in a URL.
  public enum Style: Sendable {
    /// `https://s3.example/bucket/key`, which servers of one's own take.
    case path
    /// `https://bucket.s3.example/key`, which Amazon prefers.
    case virtual
  }

  /// Either `https` or `http`.
  public let scheme: String
  /// As in the `Host` field.
  public let host: String
  /// What comes before an object's key. It begins and ends with a slash.
  public let pathPrefix: String

  /// - Parameter endpoint: has been checked.
  init(endpoint: Endpoint, bucket: String, style: Style) {
    scheme = endpoint.scheme
    switch style {
    case .path: (host, pathPrefix) = (endpoint.host, "/\(bucket)/")
    case .virtual: (host, pathPrefix) = ("\(bucket).\(endpoint.host)", "/")
    }
  }

  /// The percent-encoded path of an object.
  public func path(of key: String) -> String { pathPrefix + URIEncoding.encodePath(key.utf8) }

  public func url(of key: String) -> String { "\(scheme)://\(host)\(path(of: key))" }
}
