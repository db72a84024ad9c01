import ArgumentParser
import Cryptography

/// `selfie-server encrypt`: what the app does with a password before it sends it.
struct Encrypt: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Encrypt a password as the app does, for requests by hand.",
    discussion: "The key is API_AUTH_PASSWORD, as it is set or as storage/credentials.env holds it.")

  @Argument(help: "The password; without it, it is read from standard input.")
  var password: String?

  @OptionGroup var options: SettingsOptions

  func run() throws {
    do {
      let settings = try Settings(SettingSources(flags: options.given, file: options.config))
      guard let key = try settings.credentials ?? CredentialsFile(storage: settings.storageDir).read() else {
        throw ConfigurationError("There is no API_AUTH_PASSWORD yet. Start the server once, or set it.")
      }
      guard let text = password ?? readLine() else {
        throw ConfigurationError("There is no password to encrypt.")
      }
      print(AESCrypt(password: Array(key.password.utf8)).encrypt(Array(text.utf8)))
    } catch {
      throw ExitCode.failure(error)
    }
  }
}
