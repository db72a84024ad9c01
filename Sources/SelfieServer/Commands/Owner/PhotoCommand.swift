import ArgumentParser
import SelfieOperations

/// `selfie-server photo`: the words of its commands and what they print. `OwnerConsole` in SelfieOperations does the
/// work.
struct PhotoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "List, show, export and delete photos.",
    subcommands: [PhotoList.self, PhotoShow.self, PhotoDelete.self, PhotoExport.self])
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
    try list.show(
      try server.run(.listPhotos(email: email, limit: list.requested)), options, noun: "photo",
      [
        ("RANDOM_ID", .whole, { $0.shown("random_id") }), ("EMAIL", .whole, { $0.shown("email") }),
        ("BYTES", .number, { $0.bytes("byte_count") }), ("SINCE (UTC)", .text, { $0.time("created_at") }),
        ("TITLE", .text, { $0.shown("title") }),
      ])
  }
}

/// `selfie-server photo show`.
struct PhotoShow: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "show", "Show the details of a photo.", examples: "photo show FSAuHrJhspUmMoooyDKQHOnhXPdTTHtJkojronznu")

  @Argument(help: .photo) var id: String
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    options.show(try server.run(.showPhoto(id: id))) { photo in
      [
        ("Photo", photo.shown("random_id")), ("User", photo.shown("email")), ("Title", photo.shown("title")),
        ("Name", photo.shown("name")), ("Type", photo.shown("content_type")), ("SHA-256", photo.shown("sha256")),
        ("Bytes", "\(photo.count("byte_count"))"), ("Since", "\(photo.time("created_at")) UTC"),
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

  @Argument(help: .photo) var id: String
  @OptionGroup var confirmation: Confirmation
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    let found = try server.run(.showPhoto(id: id)).object
    try confirmation.ask("Delete the photo \"\(found.text("title") ?? "")\" of \(found.shown("email")), for good?")
    options.report(try server.run(.deletePhoto(id: id)))
  }
}
