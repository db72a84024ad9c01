import Cryptography
import Platform
import SelfieAPI

/// The private root of a server on a LAN, and the certificate that it has signed for it: the folder `tls` in the storage.
///
/// A root stays the same for ten years, because its owner has installed it on devices by hand. The certificate keeps its
/// key when it is made anew, so that there is no instant at which the two files do not fit together.
struct LocalAuthority: Sendable {
  let folder: String

  init(storage: String) {
    folder = StorageLayout(folder: storage).tls
  }

  var root: String { "\(folder)/root.pem" }
  var certificate: String { "\(folder)/certificate.pem" }
  var key: String { "\(folder)/key.pem" }
  private var rootKey: String { "\(folder)/root-key.pem" }
  /// The hosts of the certificate, a line each.
  private var hosts: String { "\(folder)/hosts" }

  /// A certificate that runs out sooner is made anew.
  private static let renewalTime: Int64 = 30 * 86_400
  private static let maxBytes = 64 * 1024

  /// Makes a certificate for these hosts and, the first time, the root and the keys.
  ///
  /// - Parameter now: Unix seconds.
  /// - Returns: whether the root is new.
  func issue(for hosts: [HostName], now: Int64) throws -> Bool {
    _ = try FileSystem.makeFolder(folder)
    try FileSystem.setPermissions(folder, 0o700)
    let isNew = try !FileSystem.exists(root)
    let authority = try isNew ? makeRoot(now: now) : readRoot()
    let key = try readKey(self.key) ?? PrivateKey()
    try FileSystem.replace(self.key, with: key.pem)
    try FileSystem.replace(certificate, with: authority.issue(for: hosts, key: key, now: now).pem)
    try FileSystem.replace(self.hosts, with: hosts.flatMap { Array("\($0.text)\n".utf8) })
    return isNew
  }

  /// Makes the certificate anew for the same hosts if it runs out soon.
  ///
  /// - Returns: whether it did.
  func renewIfDue(now: Int64) throws -> Bool {
    let current = try Certificate.certificates(pem: contents(of: certificate) ?? [])
    guard let end = current.first?.notAfter, end < now + Self.renewalTime else { return false }
    let names = String(decoding: try contents(of: hosts) ?? [], as: UTF8.self).split(separator: "\n")
    _ = try issue(for: names.compactMap { HostName(String($0)) }, now: now)
    return true
  }

  /// The root's certificate; nil before the first one is made.
  func rootCertificate() throws -> Certificate? {
    try Certificate.certificates(pem: contents(of: root) ?? []).first
  }

  private func makeRoot(now: Int64) throws -> CertificateAuthority {
    let key = try PrivateKey()
    // A part of the name that differs, since devices list their roots by name.
    let authority = try CertificateAuthority(
      name: "selfie-server \(RandomSource.system.letters(4))", key: key, now: now)
    try FileSystem.replace(rootKey, with: key.pem)
    try FileSystem.replace(root, with: authority.certificate.pem)
    return authority
  }

  private func readRoot() throws -> CertificateAuthority {
    guard let certificate = try rootCertificate(), let key = try readKey(rootKey) else {
      throw ConfigurationError("\(root) or \(rootKey) is missing or empty. Restore them, or remove \(folder).")
    }
    return CertificateAuthority(try CertifiedKey(chain: [certificate], key: key))
  }

  private func readKey(_ path: String) throws -> PrivateKey? {
    try contents(of: path).map { try PrivateKey(pem: $0) }
  }

  private func contents(of path: String) throws -> [UInt8]? {
    try FileSystem.contents(of: path, maxBytes: Self.maxBytes)
  }
}
