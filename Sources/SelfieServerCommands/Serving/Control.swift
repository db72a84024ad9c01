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
  ///
  /// - Parameter seedFolder: the folder whose files requests may name.
  init?(_ settings: Settings, seedFolder path: String?) throws {
    let seedFolder = path.flatMap(SeedFolder.init)
    if let path, seedFolder == nil {
      throw ConfigurationError("--seed-folder is \(path), but there is no such folder.")
    }
    guard settings.hasControl else {
      if path != nil {
        throw ConfigurationError("--seed-folder requires the control interface. Pass --control as well.")
      }
      return nil
    }
    isEphemeral = settings.isEphemeral
    credentials = settings.controlCredentials ?? .random()
    areNew = settings.controlCredentials == nil
    access = ControlAccess(
      isEphemeral: isEphemeral,
      credentials: BasicCredentials(name: credentials.name, password: credentials.password),
      limitsGuesses: settings.rateLimit, seedFolder: seedFolder)
    folder = try EphemeralFolder()
  }
}
