import Cryptography
import HTTPServer
import Platform
import SelfieTestDocuments

extension Server {
  /// Begins a fault of new connections in place of another; nil ends it.
  ///
  /// - Parameter certificate: that of the server; nil for plain HTTP.
  func begin(_ fault: ConnectionFault.Kind?, _ certificate: CertificateReload?) throws {
    let issue: ((CertifiedKey) throws -> CertifiedKey)? =
      switch fault {
      case .expired: { try $0.issue(endingIn: -86_400) }
      case .wrongName: { try $0.issue(for: "wrong.invalid") }
      case .unknownRoot: { try $0.issue(isKnown: false) }
      case .refused, nil: nil
      }
    if issue != nil, certificate == nil {
      throw ConfigurationError(
        "The server speaks plain HTTP, so it has no certificate. Start it with TLS_CERTIFICATE and TLS_KEY.")
    }
    try certificate?.show(on: self, issuedBy: issue)
    try setAccepting(fault != .refused)
  }
}
