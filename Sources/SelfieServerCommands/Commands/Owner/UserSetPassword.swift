import ArgumentParser
import Glibc
import Platform

/// `selfie-server user set-password`.
struct UserSetPassword: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-password", abstract: "Give a user a new password, and end the user's tokens.",
    discussion: """
      The password is asked for without being shown, or is the first line of standard input. With --generate the only \
      word on standard output is the new password.

      EXAMPLES
        selfie-server user set-password ada@example.com
        selfie-server user set-password ada@example.com --generate
        selfie-server user set-password ada@example.com < password.txt
      """)

  @OptionGroup var user: UserArgument
  @OptionGroup var input: PasswordInput
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    // Nobody should think up a password for a mistyped address.
    _ = try server.send("GET", ["users", user.email])
    let password = try input.password(of: user.email)
    let body = try server.send("PUT", ["users", user.email, "password"], body: [("password", password)]).body()
    let ended = try JSONRecord(body).number("tokens") ?? 0
    options.report(
      "\(user.email) has a new password, and \(counted(ended, "token")) ended.", body,
      generated: input.generate ? (user.email, password) : nil)
  }
}
