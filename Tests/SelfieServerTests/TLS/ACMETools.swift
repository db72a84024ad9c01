import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// Pebble, the test authority of Let's Encrypt, with a name server that answers one address, and lego, a client.
struct ACMETools {
  static let areInstalled = ["pebble", "pebble-challtestsrv", "lego"].allSatisfy {
    access("/usr/bin/\($0)", X_OK) == 0
  }

  /// The port to which Pebble connects.
  static let challengePort = 5002
  private static let directoryPort = 14000

  private let host: String
  private let folder: TemporaryFolder
  private let processes: [ServerProcess]

  /// - Parameter host: the address of these programs and of the server to which Pebble connects.
  init(in folder: TemporaryFolder, host: String) async throws {
    self.folder = folder
    self.host = host
    try TestCertificate(for: [host]).write(to: folder, "pebble")
    try folder.write(
      """
      {"pebble": {"listenAddress": "\(host):\(Self.directoryPort)", "managementListenAddress": "\(host):15000",
        "certificate": "pebble/certificate.pem", "privateKey": "pebble/key.pem", "httpPort": \(Self.challengePort), "tlsPort": 1,
        "ocspResponderURL": "", "externalAccountBindingRequired": false}}
      """, to: "pebble.json")
    func start(_ command: String) throws -> ServerProcess {
      try ServerProcess([], in: folder, shell: "exec \(command)", hasHome: false)
    }
    processes = [
      try start(
        """
        pebble-challtestsrv -defaultIPv4 \(host) -defaultIPv6 "" -dns01 \(host):8053 -http01 "" \
        -https01 "" -tlsalpn01 "" -management \(host):8055
        """),
      try start(
        """
        env PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=0 pebble -config pebble.json \
        -dnsserver \(host):8053
        """),
    ]
    try await waitUntil { (try? BlockingClient().connect(to: Self.directoryPort, host: host)) != nil }
  }

  func lego(_ command: String) async throws {
    try await folder.shell(
      """
      env LEGO_CA_CERTIFICATES=pebble/certificate.pem lego --server https://\(host):\(Self.directoryPort)/dir --accept-tos \
      --email a@selfies.example --domains selfies.example --path lego --http --http.webroot web \(command)
      """)
  }
}
