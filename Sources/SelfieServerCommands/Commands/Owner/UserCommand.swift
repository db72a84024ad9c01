import ArgumentParser

/// `selfie-server user`.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "List, make, change and delete users.",
    subcommands: [
      UserList.self, UserShow.self, UserCreate.self, UserDelete.self, UserSetPassword.self, UserSignOut.self,
      UserDisable.self, UserEnable.self,
    ])
}

/// Whom a command is about.
struct UserArgument: ParsableArguments {
  @Argument(help: "The user's email address, to the letter.")
  var email: String
}
