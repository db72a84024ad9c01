import ArgumentParser
import Glibc

/// `selfie-server user create`.
struct UserCreate: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a user, by the rules of sign-ups.",
    discussion: """
      The password is asked for without being shown, or is the first line of standard input. With --generate the only \
      word on standard output is the new password.

      EXAMPLES
        selfie-server user create ada@example.com --name 'Ada Lovelace'
        selfie-server user create ada@example.com --generate
        selfie-server user create ada@example.com < password.txt
      """)

  @OptionGroup var user: UserArgument

  @Option(help: "The user's full name. (default: none)")
  var name: String?

  @OptionGroup var input: PasswordInput
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let password = try input.password(of: user.email)
    let names = name.map { [("full_name" as StaticString, $0)] } ?? []
    let response = try server.send(
      "POST", ["users"], body: [("email", user.email), ("password", password)] + names)
    options.report(
      "\(user.email) can sign in now.", try response.body(), generated: input.generate ? (user.email, password) : nil)
  }
}
