import SelfieControl

/// What a server with the control interface needs.
struct Control {
  /// Whether the main world is ephemeral too.
  let isEphemeral: Bool
  /// Holds the storage of ephemeral worlds.
  let folder: EphemeralFolder

  /// Nil if the control interface is off.
  init?(_ settings: Settings) throws(EphemeralFolderError) {
    guard settings.hasControl else { return nil }
    isEphemeral = settings.isEphemeral
    folder = try EphemeralFolder()
  }
}
