import ArgumentParser
import Glibc
import SelfieAPI
import SelfieOperations

/// `selfie-server constants`: prints the three constants of the app. `SettingsCommand` prints the server's settings.
struct ConstantsCommand: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "constants", "Print the app's three constants, as the first start of the server does.", examples: "constants")

  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    let settings = try options.settings()
    let reply = try server.run(.constants)
    if server.isStopped, settings.credentials == nil, try APIKey.stored(in: settings.storageDir) == nil {
      throw OperationError(
        "API_AUTH_NAME and API_AUTH_PASSWORD are not set, and there is no \(StorageLayout(folder: settings.storageDir).credentials)."
      )
    }
    if options.json { return Terminal.writeJSON(reply.json) }
    let constants: AppConstants = try reply.value()
    Terminal.write(
      appConstants(
        name: constants.authName, password: constants.authPassword,
        url: constants.clientURL ?? settings.clientURL(port: settings.port)), to: STDOUT_FILENO)
  }
}

/// The constants that the tutorial's iOS app needs to reach this server, as its owner pastes them into HTTPHelper.swift.
/// None of them is the server's own.
///
/// - Parameter url: if it has `Settings.unknownHost`, the constant is for the simulator on this machine, as most apps begin.
func appConstants(name: String, password: String, url: String) -> String {
  let local = url.replacing(Settings.unknownHost, with: "localhost")
  let hint = local == url ? "" : "\n  // On an iPhone, replace localhost with the address of the server's machine."
  return """
      static let API_AUTH_NAME = "\(name)"
      static let API_AUTH_PASSWORD = "\(password)"
      static let BASE_URL = "\(local)/api"\(hint)

    """
}
