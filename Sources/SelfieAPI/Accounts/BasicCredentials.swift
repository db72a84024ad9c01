import Cryptography

/// A name and a password for HTTP Basic (RFC 7617). `Authorization` in HTTPMessages reads the field of a request, and
/// `Credentials` in SelfieServer checks what the owner chooses.
package struct BasicCredentials: Sendable {
  /// Base64 that is longer is not decoded: 255 characters of a name and the longest password have less than half of it.
  static let maxEncodedBytes = 4096

  package let name: [UInt8]
  package let password: [UInt8]

  package init(name: String, password: String) {
    self.name = Array(name.utf8)
    self.password = Array(password.utf8)
  }

  /// The texts before and after the first colon; empty if there is more than anyone's name and password.
  ///
  /// - Parameter encoded: base64, as the client sent it.
  package init(decoding encoded: ArraySlice<UInt8>) {
    let decoded = encoded.count <= Self.maxEncodedBytes ? Base64.decodeLeniently(encoded) : []
    let colon = decoded.firstIndex(of: UInt8(ascii: ":")) ?? decoded.endIndex
    name = Array(decoded[..<colon])
    password = Array(decoded[colon...].dropFirst())
  }

  /// Whether a request has these credentials.
  ///
  /// - Parameter encoded: base64, as the client sent it.
  package func match(_ encoded: ArraySlice<UInt8>) -> Bool {
    let sent = BasicCredentials(decoding: encoded)
    // Both are compared whatever the first comparison says, and in constant time.
    let isName = constantTimeEqual(sent.name, name)
    let isPassword = constantTimeEqual(sent.password, password)
    return isName && isPassword
  }
}
