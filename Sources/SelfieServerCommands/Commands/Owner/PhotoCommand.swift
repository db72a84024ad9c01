import ArgumentParser
import SelfieOperations

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
struct PhotoList: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "list", "List the photos of one user or of all, the newest first.",
    examples: "photo list", "photo list ada@example.com --limit 1000 --json")

  @Argument(help: "The user's email address. (default: all users)")
  var email: String?

  @OptionGroup var list: ListOptions
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    list.show(
      try server.run(.listPhotos(email: email, limit: list.limit)), options, noun: "photo",
      [
        ("RANDOM_ID", .whole, { $0.text("random_id") ?? "-" }), ("EMAIL", .whole, { $0.text("email") ?? "-" }),
        ("BYTES", .number, { HumanValue.bytes($0.number("byte_count") ?? 0) }),
        ("SINCE (UTC)", .text, { HumanValue.time($0.text("created_at")) }),
        ("TITLE", .text, { $0.text("title") ?? "-" }),
      ])
  }
}

/// `selfie-server photo show`.
struct PhotoShow: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "show", "Show what is known of a photo.", examples: "photo show FSAuHrJhspUmMoooyDKQHOnhXPdTTHtJkojronznu")

  @OptionGroup var photo: PhotoArgument
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    options.show(try server.run(.showPhoto(id: photo.id))) { photo in
      [
        ("Photo", photo.text("random_id") ?? "-"), ("User", photo.text("email") ?? "-"),
        ("Title", photo.text("title") ?? "-"), ("Name", photo.text("name") ?? "-"),
        ("Type", photo.text("content_type") ?? "-"), ("SHA-256", photo.text("sha256") ?? "-"),
        ("Bytes", "\(photo.number("byte_count") ?? 0)"),
        ("Since", "\(HumanValue.time(photo.text("created_at"))) UTC"),
      ]
    }
  }
}

/// `selfie-server photo delete`.
struct PhotoDelete: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "delete", "Delete a photo.",
    examples: "photo delete FSAuHrJhspUmMoooyDKQHOnhXPdTTHtJkojronznu",
    "photo delete FSAuHrJhspUmMoooyDKQHOnhXPdTTHtJkojronznu --yes")

  @OptionGroup var photo: PhotoArgument
  @OptionGroup var confirmation: Confirmation
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    let found = try server.run(.showPhoto(id: photo.id)).object
    try confirmation.ask(
      "Delete the photo \"\(found.text("title") ?? "")\" of \(found.text("email") ?? "-"), for good?")
    options.report(try server.run(.deletePhoto(id: photo.id)))
  }
}
