import COpenSSL

/// A private root, which its owner installs on the devices that shall trust it, and the certificates that it signs.
///
/// The rules are those that iOS has for a root which a user has installed: a signature with SHA-256 or better, the host in
/// the subject alternative names, the extended key usage for servers, and at most 825 days for a server's certificate
/// (support.apple.com/103769). A root needs a common name to show up in the list of trusted roots.
public struct CertificateAuthority: Sendable {
  public let certificate: Certificate
  private let key: PrivateKey

  /// In seconds: 397 days, which is also what public authorities may give, and ten years.
  public static let leafLifetime: Int64 = 397 * 86_400
  public static let rootLifetime: Int64 = 3652 * 86_400
  /// For a client whose clock is slow.
  private static let leeway: Int64 = 86_400

  /// An authority that was made before.
  public init(_ identity: CertifiedKey) {
    certificate = identity.certificate
    key = identity.key
  }

  /// A new authority.
  ///
  /// - Parameter now: Unix seconds.
  public init(name: String, key: PrivateKey, now: Int64) throws(CryptographyError) {
    let draft = try CertificateDraft(
      name: name, key: key, notBefore: now - Self.leeway, notAfter: now + Self.rootLifetime)
    // It signs servers' certificates and nothing else.
    try draft.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
    try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign")
    try draft.add(NID_subject_key_identifier, "hash")
    certificate = try draft.signed(by: key)
    self.key = key
  }

  /// A server's certificate.
  ///
  /// - Parameters:
  ///   - hosts: names and IP addresses by which clients reach the server.
  ///   - now: Unix seconds.
  public func issue(for hosts: [HostName], key: PrivateKey, now: Int64) throws(CryptographyError) -> Certificate {
    guard let first = hosts.first else { throw CryptographyError("a certificate needs a host") }
    let end = min(now + Self.leafLifetime, certificate.notAfter ?? .max)
    let draft = try CertificateDraft(
      name: first.text, key: key, notBefore: now - Self.leeway, notAfter: end, issuer: certificate)
    try draft.add(NID_basic_constraints, "critical,CA:FALSE")
    try draft.add(NID_key_usage, "critical,digitalSignature")
    try draft.add(NID_ext_key_usage, "serverAuth")
    try draft.add(NID_subject_alt_name, hosts.map(\.alternativeName).joined(separator: ","))
    try draft.add(NID_subject_key_identifier, "hash")
    try draft.add(NID_authority_key_identifier, "keyid:always")
    return try draft.signed(by: self.key)
  }
}
