/// A fault of a server's new connections, in all worlds: the body of `POST /__admin/faults/connections`. It replaces the
/// one before. It ends after its time, and earlier when the world that began it, or the main world, is reset or ends, or
/// has its faults removed. Connections that are open go on.
public struct ConnectionFault: Codable, Sendable, Equatable {
  public var fault: Kind
  /// How long it lasts, up to a minute; 0 ends it.
  public var duration: TestDuration

  public init(_ fault: Kind, for duration: TestDuration) { (self.fault, self.duration) = (fault, duration) }

  enum CodingKeys: String, CodingKey { case fault, duration = "for" }

  /// What goes wrong.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// The port refuses connections, as if no server ran.
    case refused
    // Of a server with TLS, whose certificate clients know as a root:
    /// The certificate has expired.
    case expired
    /// The certificate is for another name.
    case wrongName = "wrong_name"
    /// No authority has signed the certificate.
    case unknownRoot = "unknown_root"
  }
}
