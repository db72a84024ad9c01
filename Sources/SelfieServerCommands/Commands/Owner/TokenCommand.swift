import ArgumentParser

/// `selfie-server token`.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "List and end the tokens with which apps are signed in.",
    subcommands: [TokenList.self, TokenRevoke.self])
}

/// `selfie-server token list`.
struct TokenList: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the tokens that have not expired, of one user or of all.",
    discussion: """
      The server does not know the tokens themselves. The id of a token is for token revoke.

      EXAMPLES
        selfie-server token list
        selfie-server token list ada@example.com --json
      """)

  @Argument(help: "The user's email address. (default: all users)")
  var email: String?

  @OptionGroup var list: ListOptions
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let response = try server.send("GET", ["tokens"], query: [("limit", "\(list.limit)"), ("email", email)])
    try list.show(response, asJSON: options.json, noun: "token", Self.columns) { token in
      [
        token.text("id") ?? "-", token.text("email") ?? "-", HumanValue.time(token.text("created_at")),
        HumanValue.time(token.text("authtoken_expiry")),
      ]
    }
  }

  private static let columns: [Table.Column] = [
    .init(title: "ID", isWhole: true), .init(title: "EMAIL", isWhole: true), .init(title: "SINCE (UTC)"),
    .init(title: "UNTIL (UTC)"),
  ]
}

/// `selfie-server token revoke`.
struct TokenRevoke: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "End a token.",
    discussion: """
      EXAMPLES
        selfie-server token revoke 0d8f1c2a9b3e4f56
      """)

  @Argument(help: "The token's id, as token list shows it, or its first eight digits or more.")
  var id: String

  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let body = try server.send("DELETE", ["tokens", id]).body()
    let token = try JSONRecord(body)
    options.report("The token \(token.text("id") ?? id) of \(token.text("email") ?? "-") ended.", body)
  }
}
