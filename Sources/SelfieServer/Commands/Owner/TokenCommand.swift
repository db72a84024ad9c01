import ArgumentParser
import Platform
import SelfieOperations

/// `selfie-server token`: the words of its commands and what they print. `OwnerConsole` in SelfieOperations does the
/// work.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "List and revoke the tokens of signed-in apps.",
    subcommands: [TokenList.self, TokenRevoke.self])
}

/// `selfie-server token list`.
struct TokenList: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "list", "List the valid tokens of one user or of all.",
    discussion: "The server stores only digests of tokens. Pass a token's id to token revoke.",
    examples: "token list", "token list ada@example.com --json")

  @Argument(help: "The user's email address. (default: all users)")
  var email: String?

  @OptionGroup var list: ListOptions
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    try list.show(
      try server.run(.listTokens(email: email, limit: list.requested)), options, noun: "valid token",
      [
        ListColumn<TokenView>(.whole("ID"), \.id), ListColumn(.whole("EMAIL")) { $0.email ?? "-" },
        ListColumn(.text("SINCE (UTC)")) { HumanValue.time($0.createdAt) },
        ListColumn(.text("UNTIL (UTC)")) { HumanValue.time($0.expiry) },
      ])
  }
}

/// `selfie-server token revoke`.
struct TokenRevoke: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "revoke", "End a token, and all others from the same sign-in.", examples: "token revoke 0d8f1c2a9b3e4f56")

  @Argument(help: "The token's id, as token list shows it, or at least its first eight digits.")
  var id: String

  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws { try options.report(server.run(.revokeToken(id: id))) }
}
