import ArgumentParser
import Glibc
import HTTPMessages
import Platform
import SelfieOperations

/// `selfie-server user`: the words of its commands and what they print. `OwnerConsole` in SelfieOperations does the
/// work.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "List, create, change and delete users.",
    subcommands: [
      UserList.self, UserShow.self, UserCreate.self, UserDelete.self, UserSetPassword.self, UserSignOut.self,
      UserDisable.self, UserEnable.self,
    ])
}

/// `selfie-server user list`.
struct UserList: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "list", "List the users, sorted by email address.", examples: "user list", "user list lovelace",
    "user list --sort bytes", "user list --limit 1000 --json")

  @Argument(help: "A part of the email address or the name. (default: all users)")
  var search: String?

  @OptionGroup var list: ListOptions
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    try list.show(
      try server.run(.listUsers(search: search, limit: list.requested)), options, noun: "user",
      [
        ListColumn<UserView>(.whole("EMAIL"), \.email), ListColumn(.text("NAME"), \.fullName),
        ListColumn(.number("PHOTOS")) { "\($0.photos)" }, ListColumn(.number("BYTES")) { HumanValue.bytes($0.bytes) },
        ListColumn(.number("NOTES")) { "\($0.notes)" }, ListColumn(.number("TOKENS")) { "\($0.tokens)" },
        ListColumn(.text("SINCE (UTC)")) { HumanValue.time($0.createdAt) },
        ListColumn(.text("")) { $0.disabledAt == nil ? "" : "disabled" },
      ])
    // A server of an older version does not know them.
    guard let similar: [SimilarEmailsView] = try? server.run(.similarEmails).value() else { return }
    for emails in similar { Terminal.writeLines(emails.message.printable, to: STDERR_FILENO) }
  }
}

/// `selfie-server user show`.
struct UserShow: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "show", "Show a user.", examples: "user show ada@example.com", "user show ada@example.com --json")

  @Argument(help: .email) var email: String
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    let reply = try server.run(.showUser(email: email))
    try options.show(reply) {
      let details: UserDetails = try reply.value()
      let user = details.user
      var rows = [
        Detail("User", user.email), Detail("Name", user.fullName),
        Detail("Photos", "\(user.photos), \(HumanValue.bytes(user.bytes))"), Detail("Notes", "\(user.notes)"),
        Detail("Tokens", "\(user.tokens)"), Detail("Since", "\(HumanValue.time(user.createdAt)) UTC"),
      ]
      if let quota = details.quota, quota > 0 {
        let percentage = user.bytes / max(1, quota / 100)
        rows.append(Detail("Quota", "\(percentage) % of \(HumanValue.bytes(quota)) used"))
      }
      if let disabledAt = user.disabledAt { rows.append(Detail("Disabled", "\(HumanValue.time(disabledAt)) UTC")) }
      return rows + [Detail("Changed", "\(HumanValue.time(user.updatedAt)) UTC")]
    }
  }
}

/// `selfie-server user create`.
struct UserCreate: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "create", "Create a user, with the same rules as a sign-up.", discussion: passwordDiscussion,
    examples: "user create ada@example.com --name 'Ada Lovelace'", "user create ada@example.com --generate",
    "user create ada@example.com < password.txt")

  @Argument(help: .email) var email: String

  @Option(help: "The user's full name. (default: none)")
  var name: String?

  @Flag(help: .generate) var generate = false
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    let password = try newPassword(of: email, isGenerated: generate)
    let reply = try server.run(.createUser(email: email, fullName: name, password: password))
    try options.report(reply, generated: generate ? GeneratedPassword(email: email, password: password) : nil)
  }
}

/// `selfie-server user delete`.
struct UserDelete: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "delete", "Delete a user, with all photos, notes and tokens.",
    examples: "user delete ada@example.com", "user delete ada@example.com --yes")

  @Argument(help: .email) var email: String
  @Flag(help: .yes) var yes = false
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    let found: UserView = try server.run(.showUser(email: email)).value()
    try confirm("Delete \(email) with \(Self.belongings(found)), for good?", isAgreed: yes)
    let reply = try server.run(.deleteUser(email: email))
    try options.report(reply, "\(email) is deleted, with \(Self.belongings(reply.value())).")
  }

  private static func belongings(_ user: UserView) -> String {
    "\(counted(user.photos, "photo")) (\(HumanValue.bytes(user.bytes))), \(counted(user.notes, "note")) and "
      + counted(user.tokens, "token")
  }
}

/// `selfie-server user set-password`.
struct UserSetPassword: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "set-password", "Set a user's password, and end the user's tokens.", discussion: passwordDiscussion,
    examples: "user set-password ada@example.com", "user set-password ada@example.com --generate",
    "user set-password ada@example.com < password.txt")

  @Argument(help: .email) var email: String
  @Flag(help: .generate) var generate = false
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    // Before a password is thought up for a mistyped address.
    _ = try server.run(.showUser(email: email))
    let password = try newPassword(of: email, isGenerated: generate)
    let reply = try server.run(.setPassword(email: email, password: password))
    try options.report(reply, generated: generate ? GeneratedPassword(email: email, password: password) : nil)
  }
}

/// `selfie-server user sign-out`.
struct UserSignOut: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "sign-out", "End all tokens of a user, who then has to sign in again.", examples: "user sign-out ada@example.com")

  @Argument(help: .email) var email: String
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws { try options.report(server.run(.signOut(email: email))) }
}

/// `selfie-server user disable`.
struct UserDisable: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "disable", "Keep a user out, without deleting anything.",
    discussion: """
      The user cannot sign in, and existing tokens are refused with the message "This account is disabled". Anyone who \
      knows a photo's address can still see the photo.
      """, examples: "user disable ada@example.com")

  @Argument(help: .email) var email: String
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws { try options.report(server.run(.disableUser(email: email))) }
}

/// `selfie-server user enable`.
struct UserEnable: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "enable", "Let a disabled user in again.", discussion: "Tokens that have not expired meanwhile work again.",
    examples: "user enable ada@example.com")

  @Argument(help: .email) var email: String
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws { try options.report(server.run(.enableUser(email: email))) }
}
