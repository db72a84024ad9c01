import TestSupport

@testable import HTTPServer

extension TLSContext {
  /// With a certificate for this machine, which no client of these tests checks.
  static let forTests: TLSContext = {
    do {
      return try TLSContext(TestCertificate().certifiedKey, tickets: TicketKeys())
    } catch {
      fatalError("\(error)")
    }
  }()
}
