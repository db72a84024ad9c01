import Platform
import SelfieAPI
import SelfieTestControl

/// The parts of the control interface of a server.
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
