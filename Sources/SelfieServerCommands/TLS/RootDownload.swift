import Cryptography
import HTTPMessages
import HTTPServer

/// Serves a root's certificate for its installation on devices, by plain HTTP: before they have it, they trust no other
/// way. The owner compares the fingerprint.
struct RootDownload: Sendable {
  let root: Certificate

  static let profilePath = "/ca.mobileconfig"
  static let certificatePath = "/ca.cer"

  /// SHA-256, as an iPhone shows it under More Details.
  static func fingerprint(of certificate: Certificate) -> String {
    Digest.sha256(certificate.der).map { Digest.hex([$0]).uppercased() }.joined(separator: " ")
  }

  var responder: Responder {
    Responder(
      respond: { request in response(to: request) },
      refuse: { status, message in Self.text(status, message) })
  }

  private func response(to request: Request) -> Response {
    guard [.get, .head].contains(request.head.method) else {
      return Self.text(.methodNotAllowed, "Only GET works here.")
    }
    switch String(decoding: request.head.path, as: UTF8.self) {
    case "/", Self.profilePath: return file(profile, "Content-Type: application/x-apple-aspen-config\r\n")
    case Self.certificatePath: return file(root.der, "Content-Type: application/x-x509-ca-cert\r\n")
    default: return Self.text(.notFound, "There are only \(Self.profilePath) and \(Self.certificatePath).")
    }
  }

  private func file(_ bytes: [UInt8], _ fields: StaticString) -> Response {
    Response(status: .ok, fields: ResponseFields(lines: fields), body: .bytes(bytes))
  }

  private static func text(_ status: Status, _ text: String) -> Response {
    Response(
      status: status, fields: ResponseFields(lines: "Content-Type: text/plain; charset=utf-8\r\n"),
      body: .bytes(Array("\(text)\n".utf8)))
  }

  /// A configuration profile with the root. Its identifiers follow from the certificate, so that installing it again
  /// replaces it.
  private var profile: [UInt8] {
    let digest = Digest.hex(Digest.sha256(root.der))
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict>
        <key>PayloadContent</key><array><dict>
          <key>PayloadCertificateFileName</key><string>ca.cer</string>
          <key>PayloadContent</key><data>\(Base64.encode(root.der))</data>
          <key>PayloadDisplayName</key><string>selfie-server</string>
          <key>PayloadIdentifier</key><string>selfie-server.root.\(digest.prefix(16))</string>
          <key>PayloadType</key><string>com.apple.security.root</string>
          <key>PayloadUUID</key><string>\(Self.uuid(digest.prefix(32)))</string>
          <key>PayloadVersion</key><integer>1</integer>
        </dict></array>
        <key>PayloadDescription</key><string>Lets this device trust a selfie-server on its network.</string>
        <key>PayloadDisplayName</key><string>selfie-server</string>
        <key>PayloadIdentifier</key><string>selfie-server.\(digest.prefix(16))</string>
        <key>PayloadType</key><string>Configuration</string>
        <key>PayloadUUID</key><string>\(Self.uuid(digest.suffix(32)))</string>
        <key>PayloadVersion</key><integer>1</integer>
      </dict></plist>

      """.utf8)
  }

  private static func uuid(_ digits: Substring) -> String {
    [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
      .map { String(digits.dropFirst($0.lowerBound).prefix($0.count)).uppercased() }.joined(separator: "-")
  }
}
