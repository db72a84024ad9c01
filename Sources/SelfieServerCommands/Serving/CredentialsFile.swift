import Platform
import SelfieAPI

/// `credentials.env` in the storage folder: the API's name and password if the server made them itself.
struct CredentialsFile {
  let path: String

  private static let password = SettingTable.all.apiAuthPassword.name

  init(storage: String) {
    path = StorageLayout(folder: storage).credentials
  }

  /// The credentials in the file; nil before the first start.
  func read() throws(ConfigurationError) -> Credentials? {
    let file = EnvironmentFile(path: path)
    guard file.problems.isEmpty else { throw ConfigurationError(problems: file.problems) }
    if let name = file[SettingTable.all.apiAuthName.name], let password = file[Self.password] {
      return Credentials(name: name, password: password)
    }
    guard file.entries.isEmpty else {
      throw ConfigurationError(
        "\(path) does not hold both API_AUTH_NAME and API_AUTH_PASSWORD. Complete it, or delete it.")
    }
    return nil
  }

  /// The credentials in the file, which cannot be guessed unless somebody has edited it.
  func readStrong() throws(ConfigurationError) -> Credentials? {
    let credentials = try read()
    if let weakness = credentials?.weakness {
      throw ConfigurationError(
        Credentials.refusal(of: "\(Self.password) in \(path)", because: weakness))
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
