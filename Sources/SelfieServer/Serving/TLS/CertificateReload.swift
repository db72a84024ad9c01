import Cryptography
import HTTPServer
import Logging
import Platform
import SelfieOperations
import SelfieTestDocuments

/// Keeps the certificate of a running server up to date with its files, which may be replaced at any time. A test can
/// show a faulty one instead. `TLSFiles` reads the files, and `TLSContext` in HTTPServer uses the certificate.
///
/// It compares what is in the files, not their dates: certbot and others replace a symbolic link in a path's middle. The
/// files are small, and are read every few seconds, on a thread of its own: a disk that does not respond holds up neither
/// requests nor the signals that end the server.
struct CertificateReload: Sendable {
  private struct State {
    var certifiedKey: CertifiedKey
    var problem: CertificateStatus.Problem?
  }

  private let files: TLSFiles
  private let firstContents: TLSFiles.Contents
  /// That with which the server begins.
  let first: CertifiedKey
  /// The host of PUBLIC_URL.
  private let host: String?
  private let tickets = TicketKeys()
  private let logger: Logger
  /// Whether the thread is to use the files again, even if nothing seems to have changed.
  private let isDue = Monitor(false)
  private let state: Monitor<State>

  /// How often the files are looked at, in milliseconds.
  private static let interval: Int64 = 5000

  init(_ files: TLSFiles, host: String?, logger: Logger) throws(ConfigurationError) {
    self.files = files
    self.host = host
    self.logger = logger
    firstContents = try files.contents()
    first = try files.certifiedKey(firstContents)
    state = Monitor(State(certifiedKey: first))
  }

  var status: CertificateStatus {
    state.withLock { state in
      var status = CertificateStatus()
      status.end = state.certifiedKey.certificate.notAfter
      status.problem = state.problem
      return status
    }
  }

  /// The context with which a server begins.
  func context() throws -> TLSContext { try context(of: first) }

  /// Looks at the files until the process ends. While they hold no certificate with its key, `server` keeps what it has.
  /// That is logged once, and is in `status` until they do.
  func watch(_ server: Server) throws(SystemError) {
    _ = try Thread(named: "certificate") {
      // Nil if they could not be read.
      var seen: TLSFiles.Contents? = firstContents
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
    try state.withLock { state in
      let own = state.certifiedKey
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
      let certifiedKey = try files.certifiedKey(contents.get())
      server.replaceTLS(try context(of: certifiedKey))
      state.withLock { $0 = State(certifiedKey: certifiedKey) }
      logger.notice("the certificate was reloaded", metadata: ["file": "\(files.certificate)"])
    } catch {
      logger.error("the certificate cannot be reloaded, so the old one stays", metadata: ["error": "\(error)"])
      state.withLock { state in
        state.problem = CertificateStatus.Problem("\(error)", since: state.problem?.since ?? unixMilliseconds())
      }
    }
  }

  private func context(of certifiedKey: CertifiedKey) throws -> TLSContext {
    for warning in files.warnings(about: certifiedKey, for: host, now: unixMilliseconds() / 1000) {
      logger.warning("\(warning)", metadata: ["file": "\(files.certificate)"])
    }
    return try TLSContext(certifiedKey, tickets: tickets)
  }
}
