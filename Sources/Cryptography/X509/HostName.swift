import Glibc

/// A DNS name or an IP address of a certificate's subject alternative names.
public struct HostName: Sendable {
  public let text: String
  private let isAddress: Bool

  /// - Returns: nil if this is neither a name (RFC 1123 §2.1), perhaps with `*` for its first label, nor an address.
  public init?(_ text: String) {
    self.text = text
    var address = in6_addr()
    isAddress = inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
    guard isAddress || Self.isName(text) else { return nil }
  }

  /// In the words of x509v3_config(5).
  var alternativeName: String { "\(isAddress ? "IP" : "DNS"):\(text)" }

  private static func isName(_ text: String) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= 253, labels.last?.allSatisfy(\.isNumber) == false else { return false }
    return labels.enumerated().allSatisfy { index, label in
      if index == 0 && labels.count > 2 && label == "*" { return true }
      return !label.isEmpty && label.utf8.count <= 63 && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
    }
  }
}
