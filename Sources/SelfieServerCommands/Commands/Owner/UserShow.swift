import ArgumentParser
import Glibc

/// `selfie-server user show`.
struct UserShow: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a user.",
    discussion: """
      EXAMPLES
        selfie-server user show ada@example.com
        selfie-server user show ada@example.com --json
      """)

  @OptionGroup var user: UserArgument
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let body = try server.send("GET", ["users", user.email]).body()
    if options.json { return Terminal.writeJSON(body) }
    let record = try JSONRecord(body)
    var table = Table([.init(title: "User", isWhole: true), .init(title: record.text("email") ?? "-", isWhole: true)])
    table.append(["Name", record.fullName])
    table.append(["Photos", "\(record.number("photos") ?? 0), \(HumanValue.bytes(record.number("bytes") ?? 0))"])
    table.append(["Notes", "\(record.number("notes") ?? 0)"])
    table.append(["Tokens", "\(record.number("tokens") ?? 0)"])
    table.append(["Since", "\(HumanValue.time(record.text("created_at"))) UTC"])
    if let time = record.text("disabled_at") { table.append(["Disabled", "\(HumanValue.time(time)) UTC"]) }
    table.append(["Changed", "\(HumanValue.time(record.text("updated_at"))) UTC"])
    Terminal.write(table.text, to: STDOUT_FILENO)
  }
}

extension JSONRecord {
  /// The names of a user, as far as they are known.
  var fullName: String {
    let (first, last) = (text("first_name"), text("last_name"))
    // Of a single word, sign-ups make both names.
    return (first == last ? [first] : [first, last]).compactMap(\.self).joined(separator: " ")
  }
}
