import COpenSSL

/// Why a cryptographic operation could not be done. A system call that failed is a `SystemError` in Platform.
package struct CryptographyError: Error, Sendable, CustomStringConvertible {
  /// Says what failed, for the log, and reveals no secret.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }

  /// The oldest error that libcrypto noted on this thread, as an error of `operation`; empties the thread's queue.
  package static func fromOpenSSL(_ operation: String) -> CryptographyError {
    let code = ERR_get_error()
    ERR_clear_error()
    guard let reason = ERR_reason_error_string(code) else { return CryptographyError("\(operation) failed") }
    return CryptographyError("\(operation) failed: \(String(cString: reason))")
  }
}
