import ArgumentParser

/// `selfie-server user`.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "List users.",
    subcommands: [UserList.self])
}
