package import ArgumentParser
import Glibc
import Platform
import SelfieAPI
package import SelfieOperations

/// The root of the command line: it lists the commands, and explains unknown ones. Most commands are in Commands, and
/// `Command` has what they share.
package struct SelfieServerCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "selfie-server",
    abstract: "Accounts and photos for the iOS app of the tutorial \"User Authentication on iOS\".",
    version: Application.version,
    subcommands: [
      Serve.self, StatusCommand.self, WhyCommand.self, ConstantsCommand.self, PageCommand.self, UserCommand.self,
      TokenCommand.self, PhotoCommand.self, Backup.self, Restore.self, Doctor.self, Import.self, MoveCommand.self,
      Encrypt.self,
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
    if let mistake = ProgramArguments.problem ?? mistake(in: arguments) {
      Terminal.writeLines("selfie-server: \(mistake)", to: STDERR_FILENO)
      Glibc.exit(EX_USAGE)
    }
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch {
      if exitCode(for: error) == .validationFailure,
        let refusal = refusal(ofFlagIn: arguments)
          ?? Serve.mistake(in: arguments, commands: configuration.subcommands.map(name(of:)))
      {
        Terminal.writeLines("selfie-server: \(refusal)", to: STDERR_FILENO)
        Glibc.exit(EX_USAGE)
      }
      exit(withError: error)
    }
  }
}

extension SelfieServerCommand {
  /// A message about a word in the place of a command that names none; nil if the words name a command, or none, as
  /// options alone do. SimilarName.swift in Platform finds the name that was meant.
  static func mistake(in arguments: [String]) -> String? {
    var command: any ParsableCommand.Type = Self.self
    var path = name(of: command)
    for word in arguments {
      let known = command.configuration.subcommands
      if let next = known.first(where: { name(of: $0) == word }) {
        command = next
        path += " \(word)"
        continue
      }
      // The parser adds the command "help".
      guard !known.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
      let names = known.filter { $0.configuration.shouldDisplay }.map(name(of:))
      let nearest = word.nearest(among: names) { max(1, min(word.count, $0.count) / 2) }
      let all = "The commands are \(names.joined(separator: ", "))."
      let remedy = nearest.map { "Did you mean \"\(path) \($0)\"?" } ?? all
      return "There is no command \"\(path) \(word)\". \(remedy)\nSee \"\(path) --help\"."
    }
    return nil
  }

  /// A message about an option that is a setting, but that a command which could not be parsed does not have; nil if all of
  /// its options are others.
  static func refusal(ofFlagIn arguments: [String]) -> String? {
    let names = arguments.map { $0.prefix { $0 != "=" } }
    let row = SettingTable.rows.first { row in
      names.contains(row.flag[...]) && !Serve.rows.contains { $0.name == row.name }
    }
    return row.map { "There is no flag \($0.flag). Set \($0.name) in the environment or in the configuration file." }
  }

  /// Every command has a configured name.
  private static func name(of command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }
}
