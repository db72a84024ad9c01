import ArgumentParser
import Cryptography
import Platform
import SelfieAPI

/// `selfie-server encrypt`: encrypts a password as the app does before it sends it. `AESCrypt` in Cryptography does the
/// work.
struct Encrypt: Command {
  static let configuration = CommandConfiguration(
    commandName: "encrypt", abstract: "Encrypt a password as the app does, for requests that you write by hand.",
    discussion: """
      The key is API_AUTH_PASSWORD from the settings or, if it is not set, from \(StorageLayout.credentials) in the \
      storage.

      EXAMPLES
        selfie-server encrypt secret12
        echo secret12 | selfie-server encrypt
      """)

  @Argument(help: "The password. Without it, the first line of standard input is used.")
  var password: String?

  @OptionGroup var options: StorageOptions

  func execute() throws {
    let settings = try options.settings()
    guard let key = try settings.credentials ?? APIKey.stored(in: settings.storageDir) else {
      throw ConfigurationError("There is no API_AUTH_PASSWORD yet. Start the server once to generate it, or set it.")
    }
    guard let text = password ?? readLine() else {
      throw ConfigurationError("There is no password to encrypt. Pass it as an argument or on standard input.")
    }
    print(AESCrypt(password: Array(key.password.utf8)).encrypt(Array(text.utf8)))
  }
}
