import Platform

/// The name and the password that apps send, and where they come from.
struct APIKey {
  let credentials: Credentials
  /// Whether they were made at this start.
  let isNew: Bool
  /// Where they are kept; nil if the owner has set them.
  let file: CredentialsFile?

  init(_ settings: Settings, _ file: CredentialsFile) throws(ConfigurationError) {
    let chosen = settings.credentials
    let known = if let chosen { chosen } else { try file.readStrong() }
    credentials = known ?? .random()
    isNew = known == nil
    self.file = chosen == nil ? file : nil
  }

  /// Keeps new credentials.
  func save() throws(ConfigurationError) {
    if isNew { try file?.write(credentials) }
  }
}
