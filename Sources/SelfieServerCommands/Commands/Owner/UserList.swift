import ArgumentParser
import Glibc
import Platform
import SelfieOperations

/// `selfie-server user list`.
struct UserList: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the users, by their email addresses.",
    discussion: """
      EXAMPLES
        selfie-server user list
        selfie-server user list --limit 1000 --json
      """)

  @OptionGroup var list: ListOptions
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let response = try server.send("GET", ["users"], query: [("limit", "\(list.limit)")])
    try list.show(response, asJSON: options.json, noun: "user", Self.columns) { user in
      [
        user.text("email") ?? "-", user.fullName, "\(user.number("photos") ?? 0)",
        HumanValue.bytes(user.number("bytes") ?? 0), "\(user.number("notes") ?? 0)", "\(user.number("tokens") ?? 0)",
        HumanValue.time(user.text("created_at")), user.text("disabled_at") == nil ? "" : "disabled",
      ]
    }
    // A server of an older version does not know them.
    let similar = (try? JSONRecord.list(server.send("GET", ["similar-emails"]).body())) ?? []
    for emails in similar { Terminal.writeLines((emails.text("message") ?? "").printable, to: STDERR_FILENO) }
  }

  private static let columns: [Table.Column] = [
    .init(title: "EMAIL", isWhole: true), .init(title: "NAME"), .init(title: "PHOTOS", alignment: .right),
    .init(title: "BYTES", alignment: .right), .init(title: "NOTES", alignment: .right),
    .init(title: "TOKENS", alignment: .right), .init(title: "SINCE (UTC)"), .init(title: ""),
  ]
}
