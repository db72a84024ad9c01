import HTTPServer
import Platform
import SelfieAPI
import SelfieTestControl
import SelfieTestDocuments

/// The parts of the control interface of a server. `Worlds` serves the interface.
struct Control {
  /// Whether the main world is ephemeral too.
  let isEphemeral: Bool
  /// The name and the password that clients of the control interface send, unless they need not.
  let credentials: Credentials
  /// Whether the credentials were made at this start.
  let areNew: Bool
  let access: ControlAccess
  /// Holds the storage of ephemeral worlds.
  let folder: EphemeralFolder

  /// Nil if the control interface is off.
  init?(_ settings: Settings) throws {
    guard settings.hasControl else { return nil }
    isEphemeral = settings.isEphemeral
    credentials = settings.controlCredentials ?? .random()
    areNew = settings.controlCredentials == nil
    access = ControlAccess(
      isEphemeral: isEphemeral,
      credentials: BasicCredentials(name: credentials.name, password: credentials.password),
      limitsGuesses: settings.rateLimit)
    folder = try EphemeralFolder()
  }
}

extension Server {
  /// Begins a fault of new connections in place of another; nil ends it.
  ///
  /// - Parameter certificate: that of the server; nil for plain HTTP.
  func begin(_ fault: ConnectionFault.Kind?, _ certificate: CertificateReload?) throws {
    if certificate == nil, let fault, fault != .refused {
      throw ConfigurationError(
        "The server speaks plain HTTP, so it has no certificate. Start it with TLS_CERTIFICATE and TLS_KEY.")
    }
    try certificate?.show(fault, on: self)
    try setAccepting(fault != .refused)
  }
}
