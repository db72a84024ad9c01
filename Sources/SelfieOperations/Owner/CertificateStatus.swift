/// The certificate of a running server, as far as its owner must look after it. `CertificateReload` in SelfieServer
/// knows it, and Attention.swift says what needs attention.
package struct CertificateStatus: Sendable {
  /// Files that have changed since they were read last, and cannot be used. The server keeps the certificate that it has.
  package struct Problem: Sendable {
    let message: String
    /// Unix milliseconds.
    package let since: Int64

    package init(_ message: String, since: Int64) {
      self.message = message
      self.since = since
    }
  }

  /// When the certificate in use ends, in Unix seconds; nil if it says so in no known way.
  package var end: Int64?
  /// Nil once the files can be used.
  package var problem: Problem?

  package init() {}
}
