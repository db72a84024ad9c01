import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// Pebble, the test authority of Let's Encrypt, with a name server that answers 127.0.0.1, and lego, a client.
struct ACMETools {
  static let areInstalled = ["pebble", "pebble-challtestsrv", "lego"].allSatisfy {
    access("/usr/bin/\($0)", X_OK) == 0
  }

  /// To which Pebble connects.
  let challengePort: Int
  private let folder: TemporaryFolder
  private let directoryPort: Int
  private let processes: [ServerProcess]

  init(in folder: TemporaryFolder) async throws {
    self.folder = folder
    challengePort = try FreePort.find()
    directoryPort = try FreePort.find()
    let (namePort, managementPort, otherPort) = (try FreePort.find(), try FreePort.find(), try FreePort.find())
    try folder.write(
      """
      {"pebble": {"listenAddress": "127.0.0.1:\(directoryPort)", "managementListenAddress": "127.0.0.1:\(otherPort)",
        "certificate": "tls/certificate.pem", "privateKey": "tls/key.pem", "httpPort": \(challengePort), "tlsPort": 1,
        "ocspResponderURL": "", "externalAccountBindingRequired": false}}
      """, to: "pebble.json")
    func start(_ command: String) throws -> ServerProcess {
      try ServerProcess([], in: folder, shell: "exec \(command)", hasHome: false)
    }
    processes = [
      try start(
        """
        pebble-challtestsrv -defaultIPv4 127.0.0.1 -defaultIPv6 "" -dns01 127.0.0.1:\(namePort) -http01 "" \
        -https01 "" -tlsalpn01 "" -management 127.0.0.1:\(managementPort)
        """),
      try start(
        """
        env PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=0 pebble -config pebble.json \
        -dnsserver 127.0.0.1:\(namePort)
        """),
    ]
    let directoryPort = directoryPort
    try await waitUntil { (try? BlockingClient().connect(to: directoryPort)) != nil }
  }

  func lego(_ command: String) async throws {
    let outcome = try await ServerProcess.run(
      [], in: folder,
      shell: """
        exec env LEGO_CA_CERTIFICATES=tls/root.pem lego --server https://127.0.0.1:\(directoryPort)/dir --accept-tos \
        --email a@selfies.example --domains selfies.example --path lego --http --http.webroot web \(command)
        """, hasHome: false)
    #expect(outcome.status == 0, "\(outcome.message)")
  }
}

/// A port that nothing listens on, for programs that cannot choose one themselves.
enum FreePort {
  static func find() throws -> Int {
    let client = try BlockingClient()
    return try client.bindToFreePort()
  }
}
