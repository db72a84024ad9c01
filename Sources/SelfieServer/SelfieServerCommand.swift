package import ArgumentParser
import Glibc
import Platform
import SelfieAPI
package import SelfieOperations

/// The root of the command line: it lists the commands, most of which are in Commands.
package struct SelfieServerCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "selfie-server",
    abstract: "Accounts and photos for the iOS app of the tutorial \"User Authentication on iOS\".",
    version: Application.version,
    subcommands: [
      Serve.self, StatusCommand.self, ConstantsCommand.self, PageCommand.self, UserCommand.self, TokenCommand.self,
      PhotoCommand.self, Backup.self, Restore.self, Doctor.self, Import.self, MoveCommand.self, Encrypt.self,
      Health.self, SettingsCommand.self, CompletionCommand.self,
    ],
    defaultSubcommand: Serve.self)

  package init() {}

  /// Runs the command of a product that can be one of a cluster.
  package static func main(cluster: any ClusterConnector) {
    Settings.clusterConnector.withLock { $0 = cluster }
    main()
  }

  /// Runs the command that the program's arguments name.
  package static func main() {
    // Swift reads the command line there: without it, the program would serve, whatever it was asked to do. And
    // libdispatch, on which Swift's tasks run, looks at its threads there every second, and crashes where it cannot.
    guard access("/proc/self/task", X_OK) == 0 else {
      Terminal.write("selfie-server: There is no /proc here, which the program needs. Mount it.\n", to: STDERR_FILENO)
      Glibc.exit(EXIT_FAILURE)
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let mistake = MistypedCommand.message(arguments, of: Self.self) {
      Terminal.writeLines("selfie-server: \(mistake)", to: STDERR_FILENO)
      Glibc.exit(EX_USAGE)
    }
    if let help = ServeHelp.text(arguments) { return Terminal.write(help, to: STDOUT_FILENO) }
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch {
      exit(withError: error)
    }
  }
}
