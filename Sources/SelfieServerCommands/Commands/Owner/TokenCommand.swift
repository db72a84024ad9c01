import ArgumentParser

/// `selfie-server token`.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "List and end the tokens with which apps are signed in.",
    subcommands: [TokenList.self, TokenRevoke.self])
}

/// `selfie-server token list`.
struct TokenList: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "list", "List the tokens that have not expired, of one user or of all.",
    discussion: "The server does not know the tokens themselves. The id of a token is for token revoke.",
    examples: "token list", "token list ada@example.com --json")

  @Argument(help: "The user's email address. (default: all users)")
  var email: String?

  @OptionGroup var list: ListOptions
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    list.show(
      try server.run(.listTokens(email: email, limit: list.limit)), options, noun: "token",
      [
        ("ID", .whole, { $0.shown("id") }), ("EMAIL", .whole, { $0.shown("email") }),
        ("SINCE (UTC)", .text, { $0.time("created_at") }), ("UNTIL (UTC)", .text, { $0.time("authtoken_expiry") }),
      ])
  }
}

/// `selfie-server token revoke`.
struct TokenRevoke: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "revoke", "End a token.", examples: "token revoke 0d8f1c2a9b3e4f56")

  @Argument(help: "The token's id, as token list shows it, or its first eight digits or more.")
  var id: String

  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws { options.report(try server.run(.revokeToken(id: id))) }
}
