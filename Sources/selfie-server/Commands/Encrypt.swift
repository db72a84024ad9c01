import ArgumentParser
import Cryptography
import SelfieAPI

/// `selfie-server encrypt`: encrypts a password as the app does before it sends it.
struct Encrypt: Command {
  static let configuration = CommandConfiguration(
    abstract: "Encrypt a password as the app does, for requests by hand.",
    discussion:
      "The key is API_AUTH_PASSWORD, from the settings or else from \(StorageLayout.credentials) in the storage.")

  @Argument(help: "The password. If it is not given, it is read from standard input.")
  var password: String?

  @OptionGroup var options: SettingsOptions

  func execute() throws {
    let settings = try options.settings()
    guard let key = try settings.credentials ?? CredentialsFile(storage: settings.storageDir).read() else {
      throw ConfigurationError("There is no API_AUTH_PASSWORD yet. Start the server once, or set it.")
    }
    guard let text = password ?? readLine() else {
      throw ConfigurationError("There is no password to encrypt.")
    }
    print(AESCrypt(password: Array(key.password.utf8)).encrypt(Array(text.utf8)))
  }
}
