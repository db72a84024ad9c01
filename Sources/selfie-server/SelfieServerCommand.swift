import ArgumentParser
import Glibc

/// The command line.
@main
struct SelfieServerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "selfie-server",
    abstract: "Accounts and photos for the iOS app of the tutorial \"User Authentication on iOS\".",
    version: version,
    subcommands: [
      Serve.self, StatusCommand.self, UserCommand.self, TokenCommand.self, PhotoCommand.self, Backup.self, Restore.self,
      Doctor.self, Import.self, CertificateCommand.self, Encrypt.self, Health.self,
    ],
    defaultSubcommand: Serve.self)

  static func main() {
    guard let arguments = ProgramArguments.all else {
      Terminal.write("selfie-server: The command line cannot be read, so nothing was done.\n", to: STDERR_FILENO)
      Glibc.exit(EX_USAGE)
    }
    if let mistake = MistypedCommand(arguments, of: Self.self) {
      Terminal.writeLines("selfie-server: \(mistake)", to: STDERR_FILENO)
      Glibc.exit(EX_USAGE)
    }
    main(arguments)
  }
}
