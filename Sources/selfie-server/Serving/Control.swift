import SelfieControl

/// What the control interface needs.
struct Control {
  /// Whether nothing is to be left of what is stored.
  let isEphemeral: Bool
  /// Where worlds are that nothing is to be left of.
  let folder: EphemeralFolder

  /// Nil when nobody asks for it.
  init?(_ settings: Settings) throws(EphemeralFolderError) {
    guard settings.hasControl else { return nil }
    isEphemeral = settings.isEphemeral
    folder = try EphemeralFolder()
  }
}
