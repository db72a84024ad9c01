import Cryptography
import HTTPServer
import Logging
import Platform
import SelfieTestDocuments

/// Keeps the certificate of a running server up to date with its files, which may be replaced at any time. A test can
/// show a faulty one instead. `TLSFiles` reads the files, and `TLSContext` in HTTPServer uses the certificate.
///
/// It compares what is in the files, not their dates: certbot and others replace a symbolic link in a path's middle. The
/// files are small, and are read every few seconds, on a thread of its own: a disk that does not respond holds up neither
/// requests nor the signals that end the server.
struct CertificateReload: Sendable {
  private let files: TLSFiles
  private let first: TLSFiles.Contents
  private let tickets = TicketKeys()
  private let logger: Logger
  /// Whether the thread is to use the files again, even if nothing seems to have changed.
  private let isDue = Monitor(false)
  private let latest = Monitor<CertifiedKey?>(nil)

  /// How often the files are looked at, in milliseconds.
  private static let interval: Int64 = 5000

  init(_ files: TLSFiles, logger: Logger) throws(ConfigurationError) {
    self.files = files
    self.logger = logger
    first = try files.contents()
  }

  /// When the certificate in use ends, in Unix seconds.
  var end: Int64? { latest.withLock { $0?.certificate.notAfter } }

  /// The context with which a server begins.
  func context() throws -> TLSContext { try context(of: first) }

  /// Looks at the files until the process ends. If they hold no certificate with its key, which is said once, `server`
  /// keeps what it has.
  func watch(_ server: Server) throws(SystemError) {
    _ = try Thread(named: "certificate") {
      // Nil if they could not be read.
      var seen: TLSFiles.Contents? = first
      while true {
        let deadline = monotonicMilliseconds() + Self.interval
        let isAsked = isDue.wait(until: deadline) { exchange(&$0, with: false) ? true : nil } ?? false
        let found = Result { () throws(ConfigurationError) in try files.contents() }
        let contents = try? found.get()
        if exchange(&seen, with: contents) != contents || isAsked { use(found, on: server) }
      }
    }
  }

  /// Reads the files again, even if nothing seems to have changed. Returns at once.
  func reload() {
    isDue.withLock { $0 = true }
    isDue.notifyAll()
  }

  /// Shows the certificate of a fault until the files change; nil shows theirs again.
  func show(_ fault: ConnectionFault.Kind?, on server: Server) throws {
    try latest.withLock { own in
      guard let own else { return }
      let other: CertifiedKey? =
        switch fault {
        case .expired: try own.issue(endingIn: -86_400)
        case .wrongName: try own.issue(for: "wrong.invalid")
        case .unknownRoot: try own.issue(isKnown: false)
        case .refused, nil: nil
        }
      // Nobody resumes a session, since that shows no certificate.
      server.replaceTLS(try TLSContext(other ?? own, tickets: other == nil ? tickets : TicketKeys()))
    }
  }

  private func use(_ contents: Result<TLSFiles.Contents, ConfigurationError>, on server: Server) {
    do {
      server.replaceTLS(try context(of: contents.get()))
      logger.notice("the certificate was reloaded", metadata: ["file": "\(files.certificate)"])
    } catch {
      logger.error("the certificate cannot be reloaded, so the old one stays", metadata: ["error": "\(error)"])
    }
  }

  private func context(of contents: TLSFiles.Contents) throws -> TLSContext {
    let certifiedKey = try files.certifiedKey(contents)
    for warning in files.warnings(about: certifiedKey, now: unixMilliseconds() / 1000) {
      logger.warning("\(warning)", metadata: ["file": "\(files.certificate)"])
    }
    let context = try TLSContext(certifiedKey, tickets: tickets)
    latest.withLock { $0 = certifiedKey }
    return context
  }
}
