import Cryptography
import Glibc
import Platform

/// The files of the server's certificate and its key, as TLS_CERTIFICATE and TLS_KEY name them. `CertificateReload`
/// notices when they change.
struct TLSFiles: Sendable {
  /// The bytes of both files.
  struct Contents: Equatable, Sendable {
    let certificate: [UInt8]
    let key: [UInt8]
  }

  let certificate: String
  let key: String

  /// More than any chain of certificates has.
  private static let maxBytes = 1024 * 1024
  /// Clients of ACME renew a certificate long before, so that its end comes this near only where they fail.
  private static let shortTime: Int64 = 14 * 86_400

  /// Reads both files.
  ///
  /// - Throws: an error that lists every problem.
  func contents() throws(ConfigurationError) -> Contents {
    var problems: [String] = []
    let certificate = SettingSources.contents(
      of: certificate, of: SettingTable.all.tlsCertificate.name, maxBytes: Self.maxBytes, &problems)
    let key = SettingSources.contents(of: key, of: SettingTable.all.tlsKey.name, maxBytes: Self.maxBytes, &problems)
    guard let certificate, let key else { throw ConfigurationError(problems: problems) }
    return Contents(certificate: certificate, key: key)
  }

  /// How to make a certificate of what a file has instead; empty if nothing tells.
  private static func remedy(for bytes: [UInt8], at path: String) -> String {
    if String(decoding: bytes, as: UTF8.self).contains("BEGIN CERTIFICATE REQUEST") {
      return " It is a request for one: give it to an authority, which makes the certificate."
    }
    // A sequence of ASN.1.
    guard bytes.first == 0x30 else { return "" }
    let isBundle = [".p12", ".pfx"].contains { path.lowercased().hasSuffix($0) }
    let command =
      isBundle ? "openssl pkcs12 -nodes -in \(path.shellWord)" : "openssl x509 -inform der -in \(path.shellWord)"
    return " Convert it: \(command) -out certificate.pem"
  }

  /// Takes what is in the files for a certificate and its key.
  ///
  /// - Throws: an error that lists every problem.
  func certifiedKey(_ contents: Contents) throws(ConfigurationError) -> CertifiedKey {
    let chain = Result { () throws(CryptographyError) in try Certificate.certificates(pem: contents.certificate) }
    let privateKey = Result { () throws(CryptographyError) in try PrivateKey(pem: contents.key) }
    var problems: [String] = []
    if case .success(let chain) = chain, chain.isEmpty {
      problems.append(
        "TLS_CERTIFICATE is \(certificate), which contains no certificate in PEM format."
          + Self.remedy(for: contents.certificate, at: certificate))
    }
    if case .failure(let error) = chain {
      problems.append("TLS_CERTIFICATE is \(certificate), which cannot be read as PEM: \(error).")
    }
    if case .failure(let error) = privateKey {
      problems.append("TLS_KEY is \(key), which contains no private key in PEM format without a passphrase: \(error).")
    }
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    do throws(CryptographyError) {
      return try CertifiedKey(chain: chain.get(), key: privateKey.get())
    } catch {
      throw ConfigurationError(
        "TLS_KEY is \(key), which is not the key of the certificate in \(certificate). The server's own must be the first."
      )
    }
  }

  /// The problems that do not keep the server from serving.
  ///
  /// - Parameters:
  ///   - host: that of PUBLIC_URL.
  ///   - now: Unix seconds.
  func warnings(about certifiedKey: CertifiedKey, for host: String? = nil, now: Int64) -> [String] {
    let certificate = certifiedKey.certificate
    var warnings: [String] = []
    if let end = certificate.notAfter, end <= now {
      warnings.append("the certificate has expired, so clients will not connect")
    } else if let end = certificate.notAfter, end <= now + Self.shortTime {
      warnings.append("the certificate expires within 14 days: renew it")
    }
    if let start = certificate.notBefore, start > now {
      warnings.append("the certificate is not valid yet, so clients will not connect")
    }
    if certifiedKey.chain.isEmpty, certificate.namesIssuer {
      warnings.append("its issuer's certificate is missing, so phones may not connect: use fullchain.pem, not cert.pem")
    }
    if let host, !certificate.covers(host: host) {
      warnings.append(
        "it is not for \(host), the host of PUBLIC_URL, so apps will not connect: use a certificate for that name")
    }
    var status = stat()
    if stat(key, &status) == 0, status.st_mode & 0o007 != 0 {
      warnings.append("every user of this machine can read the key of the certificate: chmod o= \(key)")
    }
    return warnings
  }
}
