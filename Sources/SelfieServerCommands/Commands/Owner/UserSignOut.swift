import ArgumentParser
import Platform

/// `selfie-server user sign-out`.
struct UserSignOut: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out", abstract: "End all tokens of a user, who has to sign in again.",
    discussion: """
      EXAMPLES
        selfie-server user sign-out ada@example.com
      """)

  @OptionGroup var user: UserArgument
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let body = try server.send("DELETE", ["users", user.email, "tokens"]).body()
    let ended = try JSONRecord(body).number("tokens") ?? 0
    options.report("\(counted(ended, "token")) of \(user.email) ended.", body)
  }
}
