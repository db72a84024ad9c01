import ArgumentParser

/// `selfie-server user disable`.
struct UserDisable: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Keep a user out, without deleting anything.",
    discussion: """
      The user cannot sign in, and the tokens that are out are refused, with the words "This account is disabled". \
      Photos can still be seen by those who have their addresses.

      EXAMPLES
        selfie-server user disable ada@example.com
      """)

  @OptionGroup var user: UserArgument
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let body = try server.send("PUT", ["users", user.email, "disabled"]).body()
    options.report("\(user.email) is disabled.", body)
  }
}

/// `selfie-server user enable`.
struct UserEnable: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Let a disabled user in again.",
    discussion: """
      Tokens that have not expired meanwhile are taken again.

      EXAMPLES
        selfie-server user enable ada@example.com
      """)

  @OptionGroup var user: UserArgument
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let body = try server.send("DELETE", ["users", user.email, "disabled"]).body()
    options.report("\(user.email) is enabled.", body)
  }
}
