import ArgumentParser
import Glibc
import SelfieOperations

/// `selfie-server constants`: prints the text that `AppConstants` makes.
struct ConstantsCommand: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "constants", "Print the app's three constants, as the first start of the server does.", examples: "constants")

  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    let settings = try options.settings()
    let file = CredentialsFile(storage: settings.storageDir)
    let reply = try server.run(.constants)
    if server.isStopped, settings.credentials == nil, try file.read() == nil {
      throw OperationError("API_AUTH_NAME and API_AUTH_PASSWORD are not set, and there is no \(file.path).")
    }
    if options.json { return Terminal.writeJSON(reply.json) }
    Terminal.write(
      AppConstants.text(
        name: reply.object.shown("api_auth_name"), password: reply.object.shown("api_auth_password"),
        url: reply.object.text("client_url") ?? settings.clientURL(port: settings.port)), to: STDOUT_FILENO)
  }
}
