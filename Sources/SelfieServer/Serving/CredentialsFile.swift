import Platform
import SelfieAPI

/// `credentials.env` in the storage folder: the API's name and password if the server made them itself. `Credentials`
/// makes and checks both.
struct CredentialsFile {
  let path: String

  init(storage: String) {
    path = StorageLayout(folder: storage).credentials
  }

  /// The credentials in the file; nil before the first start.
  func read() throws(ConfigurationError) -> Credentials? {
    let file = EnvironmentFile(path: path)
    guard file.problems.isEmpty else { throw ConfigurationError(problems: file.problems) }
    let table = SettingTable.all
    let credentials = Credentials(file[table.apiAuthName.name], file[table.apiAuthPassword.name])
    guard credentials != nil || !file.exists else {
      throw ConfigurationError(
        "\(path) does not contain both API_AUTH_NAME and API_AUTH_PASSWORD. Add what is missing, or delete the file.")
    }
    return credentials
  }

  func write(_ credentials: Credentials) throws(ConfigurationError) {
    let text = """
      # What the app sends to this server; see HTTPHelper.swift there.
      API_AUTH_NAME=\(credentials.name)
      API_AUTH_PASSWORD=\(credentials.password)

      """
    do {
      try FileSystem.replace(path, with: Array(text.utf8))
    } catch {
      throw ConfigurationError("\(path) cannot be written: \(error.reason).")
    }
  }
}

/// The name and the password that apps send, and where they come from.
struct APIKey {
  let credentials: Credentials
  /// Whether they were made at this start.
  let isNew: Bool
  /// Where they are kept; nil if the owner has set them.
  let file: CredentialsFile?

  init(_ settings: Settings, _ file: CredentialsFile) throws(ConfigurationError) {
    let chosen = settings.credentials
    let known = if let chosen { chosen } else { try file.read() }
    if chosen == nil, let weakness = known?.weakness {
      throw ConfigurationError(
        Credentials.refusal(of: "\(SettingTable.all.apiAuthPassword.name) in \(file.path)", because: weakness))
    }
    credentials = known ?? .random()
    isNew = known == nil
    self.file = chosen == nil ? file : nil
  }

  /// Keeps new credentials.
  func save() throws(ConfigurationError) {
    if isNew { try file?.write(credentials) }
  }
}
