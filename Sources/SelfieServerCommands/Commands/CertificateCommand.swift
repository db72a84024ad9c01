import ArgumentParser
import Cryptography
import Glibc
import HTTPServer
import Platform

/// `selfie-server certificate`: a private root, and a certificate for a server on a LAN.
struct CertificateCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "certificate",
    abstract: "Make a certificate for a server on your own network, and a root that iPhones can trust.",
    discussion: """
      Run it again with other hosts for another certificate from the same root. The server makes the certificate anew \
      before it runs out.

      EXAMPLES
        selfie-server certificate --host selfie.local --host 192.168.1.20
        selfie-server certificate --serve
      """)

  @Option(help: "A name or address by which devices reach the server; give each of them.")
  var host: [String] = []

  @Flag(help: "Serve the root for installation on devices, by plain HTTP, until you stop it.")
  var serve = false

  @Option(help: "The port for that; 0 picks a free one.")
  var servePort = 8080

  @OptionGroup var options: StorageOptions

  func execute() throws {
    let settings = try options.settings()
    umask(0o077)
    if settings.makesStorage { _ = try FileSystem.makeFolder(settings.storageDir) }
    guard FileSystem.isFolder(settings.storageDir) else {
      throw ConfigurationError("STORAGE_DIR is \(settings.storageDir), and there is no such folder.")
    }
    let authority = LocalAuthority(storage: settings.storageDir)
    if !host.isEmpty { try issue(by: authority) }
    guard let root = try authority.rootCertificate() else {
      throw ConfigurationError("There is no certificate yet. Say for which names and addresses: --host selfie.local")
    }
    if serve { try serve(root) }
  }

  private func issue(by authority: LocalAuthority) throws {
    let hosts = try host.map { text in
      guard let name = HostName(text) else {
        throw ConfigurationError("--host is \(text), which is neither a name nor an IP address.")
      }
      return name
    }
    let isNew = try authority.issue(for: hosts, now: unixMilliseconds() / 1000)
    var text = """
      The certificate for \(host.joined(separator: ", ")) is in \(authority.folder). Start the server with

        TLS_CERTIFICATE=\(authority.certificate)
        TLS_KEY=\(authority.key)


      """
    if isNew { text += Self.steps(authority) }
    Terminal.write(text, to: STDOUT_FILENO)
  }

  private static func steps(_ authority: LocalAuthority) -> String {
    """
    The root is new: each device must trust \(authority.root) once. On an iPhone or iPad:

      1. Get the root: open the address in Safari that `selfie-server certificate --serve` prints, or send the file by
         AirDrop.
      2. Settings > Profile Downloaded > Install.
      3. Settings > General > About > Certificate Trust Settings: switch on full trust for the root. Until then the
         device does not trust it for HTTPS.

    Keep \(authority.folder)/root-key.pem to yourself: anyone who has it can read what your devices send to any server.


    """
  }

  private func serve(_ root: Certificate) throws {
    let signals = TerminationSignals()
    WriteSignals.ignore()
    let listener = try Listener(host: "0.0.0.0", port: servePort)
    let server = try Server(listener: listener, loopCount: 1, responder: RootDownload(root: root).responder)
    try server.start()
    Terminal.write(
      """
      Open http://ADDRESS-OF-THIS-MACHINE:\(listener.port)\(RootDownload.profilePath) in Safari on the device. Other
      devices take http://ADDRESS-OF-THIS-MACHINE:\(listener.port)\(RootDownload.certificatePath).

      Before you install it, compare the SHA-256 fingerprint that the device shows:
      \(RootDownload.fingerprint(of: root))

      Ctrl-C ends this.

      """, to: STDOUT_FILENO)
    signals.wait()
    server.stop()
  }
}
