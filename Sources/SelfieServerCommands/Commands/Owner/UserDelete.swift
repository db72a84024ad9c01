import ArgumentParser
import Glibc
import Platform

/// `selfie-server user delete`.
struct UserDelete: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a user, with all photos, notes and tokens.",
    discussion: """
      EXAMPLES
        selfie-server user delete ada@example.com
        selfie-server user delete ada@example.com --yes
      """)

  @OptionGroup var user: UserArgument
  @OptionGroup var confirmation: Confirmation
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let path = ["users", user.email]
    let found = try JSONRecord(server.send("GET", path).body())
    try confirmation.ask("Delete \(user.email) with \(Self.belongings(found)), for good?")
    let body = try server.send("DELETE", path).body()
    options.report("\(user.email) is deleted, with \(try Self.belongings(JSONRecord(body))).", body)
  }

  private static func belongings(_ user: JSONRecord) -> String {
    let (photos, notes) = (user.number("photos") ?? 0, user.number("notes") ?? 0)
    let bytes = HumanValue.bytes(user.number("bytes") ?? 0)
    return "\(counted(photos, "photo")) (\(bytes)), \(counted(notes, "note")) and "
      + counted(user.number("tokens") ?? 0, "token")
  }
}
