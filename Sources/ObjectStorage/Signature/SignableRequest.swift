/// The parts of a request that AWS Signature Version 4 protects.
public struct SignableRequest: Sendable {
  /// The SHA-256 of the body, as `x-amz-content-sha256` names it.
  public enum Payload: Sendable {
    case sha256([UInt8])
    /// The signature does not protect the body. TLS does.
    case unsigned
  }

  public let method: String
  /// With the port unless it is the scheme's own, as in the `Host` field.
  public let host: String
  /// Percent-encoded, with a slash at its beginning.
  public let path: String
  /// Not percent-encoded.
  public let query: [(name: String, value: String)]
  /// Further header fields, all of which are signed. A name may be there several times.
  public let headers: [(name: String, value: String)]
  public let payload: Payload

  public init(
    method: String, host: String, path: String, query: [(name: String, value: String)] = [],
    headers: [(name: String, value: String)] = [], payload: Payload
  ) {
    self.method = method
    self.host = host
    self.path = path
    self.query = query
    self.headers = headers
    self.payload = payload
  }
}
