import Cryptography
import HTTPServer
import Logging
import Platform

/// Keeps the certificate of a running server up to date with its files, which may be replaced at any time.
///
/// It compares what is in the files, not their dates: certbot and others replace a symbolic link in a path's middle. The
/// files are small, and are read every few seconds, on a thread of its own: a disk that does not respond holds up neither
/// requests nor the signals that end the server.
struct CertificateReload: Sendable {
  private enum Order {
    case reload, stop
  }

  private let files: TLSFiles
  private let tickets: TicketKeys
  private let logger: Logger
  /// What was in the files at the last look; nil if they could not be read.
  private let seen: Monitor<TLSFiles.Contents?>
  /// What the thread is to do next, if anything.
  private let order = Monitor<Order?>(nil)

  /// How often the files are looked at, in milliseconds.
  private static let interval: Int64 = 5000

  init(_ files: TLSFiles, logger: Logger) throws(ConfigurationError) {
    self.files = files
    self.logger = logger
    tickets = TicketKeys()
    seen = Monitor(try files.contents())
  }

  /// What a server begins with.
  func context() throws -> TLSContext {
    try context(of: seen.withLock { $0 } ?? files.contents())
  }

  /// Looks at the files until ``stop()``.
  func watch(_ server: Server) throws(SystemError) {
    _ = try Thread(named: "certificate") {
      var next: Order?
      while next != .stop {
        check(server, always: next == .reload)
        next = order.wait(until: monotonicMilliseconds() + Self.interval) { order in
          defer { if order == .reload { order = nil } }
          return order
        }
      }
    }
  }

  /// Reads the files again, even if nothing seems to have changed. Returns at once.
  func reload() { give(.reload) }

  /// Ends the thread, or lets it be where a disk does not respond. Returns at once.
  func stop() { give(.stop) }

  private func give(_ order: Order) {
    self.order.withLock { if $0 != .stop { $0 = order } }
    self.order.notifyAll()
  }

  /// Lets `server` use what is in the files now. If that is no certificate with its key, the server keeps what it has.
  ///
  /// - Parameter always: whether to do so even if nothing seems to have changed.
  private func check(_ server: Server, always: Bool) {
    do {
      let contents = try files.contents()
      let isNew = seen.withLock { seen in
        defer { seen = contents }
        return seen != contents
      }
      guard isNew || always else { return }
      server.replaceTLS(try context(of: contents))
      logger.notice("the certificate was reloaded", metadata: ["file": "\(files.certificate)"])
    } catch {
      let wasReadable = seen.withLock { seen in
        defer { if !(error is UnusableCertificate) { seen = nil } }
        return seen != nil
      }
      guard wasReadable || always || error is UnusableCertificate else { return }
      logger.error("the certificate cannot be reloaded, so the old one stays", metadata: ["error": "\(error)"])
    }
  }

  /// The files could be read, but not used. It is said once for what is in them.
  private struct UnusableCertificate: Error, CustomStringConvertible {
    let description: String
  }

  private func context(of contents: TLSFiles.Contents) throws -> TLSContext {
    do {
      let certifiedKey = try files.certifiedKey(contents)
      for warning in files.warnings(about: certifiedKey, now: unixMilliseconds() / 1000) {
        logger.warning("\(warning)", metadata: ["file": "\(files.certificate)"])
      }
      return try TLSContext(certifiedKey, tickets: tickets)
    } catch {
      throw UnusableCertificate(description: "\(error)")
    }
  }
}
