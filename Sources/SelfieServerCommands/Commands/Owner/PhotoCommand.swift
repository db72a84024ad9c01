import ArgumentParser
import Glibc

/// `selfie-server photo`.
struct PhotoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "List, show, copy and delete photos.",
    subcommands: [PhotoList.self, PhotoShow.self, PhotoDelete.self, PhotoExport.self])
}

/// Which photo a command is about.
struct PhotoArgument: ParsableArguments {
  @Argument(help: "The photo's random_id, as photo list shows it.")
  var id: String
}

/// `selfie-server photo list`.
struct PhotoList: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the photos of one user or of all, the newest first.",
    discussion: """
      EXAMPLES
        selfie-server photo list
        selfie-server photo list ada@example.com --limit 1000 --json
      """)

  @Argument(help: "The user's email address. (default: all users)")
  var email: String?

  @OptionGroup var list: ListOptions
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let response = try server.send("GET", ["photos"], query: [("limit", "\(list.limit)"), ("email", email)])
    try list.show(response, asJSON: options.json, noun: "photo", Self.columns) { photo in
      [
        photo.text("random_id") ?? "-", photo.text("email") ?? "-", HumanValue.bytes(photo.number("byte_count") ?? 0),
        HumanValue.time(photo.text("created_at")), photo.text("title") ?? "-",
      ]
    }
  }

  private static let columns: [Table.Column] = [
    .init(title: "RANDOM_ID", isWhole: true), .init(title: "EMAIL", isWhole: true),
    .init(title: "BYTES", alignment: .right), .init(title: "SINCE (UTC)"), .init(title: "TITLE"),
  ]
}

/// `selfie-server photo show`.
struct PhotoShow: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show what is known of a photo.",
    discussion: """
      EXAMPLES
        selfie-server photo show FSAuHrJhspUmMoooyDKQHOnhXPdTTHtJkojronznu
      """)

  @OptionGroup var photo: PhotoArgument
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let body = try server.send("GET", ["photos", photo.id]).body()
    if options.json { return Terminal.writeJSON(body) }
    let record = try JSONRecord(body)
    var table = Table([
      .init(title: "Photo", isWhole: true), .init(title: record.text("random_id") ?? "-", isWhole: true),
    ])
    for (name, member) in [
      ("User", "email"), ("Title", "title"), ("Name", "name"), ("Type", "content_type"), ("SHA-256", "sha256"),
    ] {
      table.append([name, record.text(member) ?? "-"])
    }
    table.append(["Bytes", "\(record.number("byte_count") ?? 0)"])
    table.append(["Since", "\(HumanValue.time(record.text("created_at"))) UTC"])
    Terminal.write(table.text, to: STDOUT_FILENO)
  }
}

/// `selfie-server photo delete`.
struct PhotoDelete: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a photo.",
    discussion: """
      EXAMPLES
        selfie-server photo delete FSAuHrJhspUmMoooyDKQHOnhXPdTTHtJkojronznu
        selfie-server photo delete FSAuHrJhspUmMoooyDKQHOnhXPdTTHtJkojronznu --yes
      """)

  @OptionGroup var photo: PhotoArgument
  @OptionGroup var confirmation: Confirmation
  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let path = ["photos", photo.id]
    let found = try JSONRecord(server.send("GET", path).body())
    let (title, email) = (found.text("title") ?? "", found.text("email") ?? "-")
    try confirmation.ask("Delete the photo \"\(title)\" of \(email), for good?")
    let body = try server.send("DELETE", path).body()
    options.report("The photo \"\(title)\" of \(email) is deleted.", body)
  }
}
