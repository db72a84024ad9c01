import ArgumentParser

/// The command line.
@main
struct SelfieServerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "selfie-server",
    abstract: "Accounts and photos for the iOS app of the tutorial \"User Authentication on iOS\".",
    version: version,
    subcommands: [
      Serve.self, Backup.self, Restore.self, Doctor.self, Encrypt.self, Health.self, Import.self,
    ],
    defaultSubcommand: Serve.self)
}
