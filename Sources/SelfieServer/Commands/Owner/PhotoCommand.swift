import ArgumentParser
import Cryptography
import Glibc
import Platform
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
        ListColumn<PhotoView>(.whole("RANDOM_ID"), \.randomID), ListColumn(.whole("EMAIL"), \.email),
        ListColumn(.number("BYTES")) { HumanValue.bytes($0.byteCount) },
        ListColumn(.text("SINCE (UTC)")) { HumanValue.time($0.createdAt) }, ListColumn(.text("TITLE"), \.title),
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
    let reply = try server.run(.showPhoto(id: id))
    try options.show(reply) {
      let photo: PhotoView = try reply.value()
      return [
        Detail("Photo", photo.randomID), Detail("User", photo.email), Detail("Title", photo.title),
        Detail("Name", photo.name ?? "-"), Detail("Type", photo.contentType), Detail("SHA-256", photo.sha256 ?? "-"),
        Detail("Bytes", "\(photo.byteCount)"), Detail("Since", "\(HumanValue.time(photo.createdAt)) UTC"),
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
  @Flag(help: .yes) var yes = false
  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    let found: PhotoView = try server.run(.showPhoto(id: id)).value()
    try confirm("Delete the photo \"\(found.title)\" of \(found.email), for good?", isAgreed: yes)
    try options.report(server.run(.deletePhoto(id: id)))
  }
}

/// `selfie-server photo export`: writes the file. `OwnerConsole` in SelfieOperations reads the photo.
struct PhotoExport: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "export", "Copy a photo to a file.",
    discussion: """
      The file gets its name only once it is complete and on the disk. Its digest is compared with the one that the \
      server recorded after the upload.
      """,
    examples: "photo export FSAuHrJhspUmMoooyDKQHOnhXPdTTHtJkojronznu ada.png",
    "photo export FSAuHrJhspUmMoooyDKQHOnhXPdTTHtJkojronznu - | file -")

  @Argument(help: .photo) var id: String

  @Argument(help: "The file to write, or - for standard output.")
  var file: String

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @OptionGroup var options: OwnerOptions

  func validate() throws {
    guard !file.isEmpty, !file.hasNUL, !file.hasSuffix("/") else {
      throw ValidationError("The file needs a name.")
    }
  }

  func execute(on server: OwnerConnection) throws {
    guard file != "-" else {
      let output = OpenFile(owning: dup(STDOUT_FILENO))
      _ = try copy(from: server) { try FileSystem.write($0, to: output, path: "standard output") }
      return
    }
    // Only the owner may read the copy, as the photo itself.
    umask(0o077)
    let reply = try PartialFile.make(file, replaces: force) { partial in
      let reply = try copy(from: server) { try FileSystem.write($0, to: partial.file, path: partial.path) }
      try partial.sync()
      return reply
    }
    if let warning = PartialFile.warning(file) { Terminal.writeLines("\(warning).", to: STDERR_FILENO) }
    let photo: PhotoView = try reply.value()
    try options.report(reply, "\(file) has the photo \"\(photo.title)\" of \(photo.email).")
  }

  private func copy(
    from server: OwnerConnection, to write: (ArraySlice<UInt8>) throws -> Void
  ) throws -> OwnerReply {
    let digest = SHA256()
    var byteCount: Int64 = 0
    let reply = try server.run(.exportPhoto(id: id)) { piece in
      digest.update(Array(piece))
      byteCount += Int64(piece.count)
      try write(piece)
    }
    // A photo that was just uploaded has no digest yet.
    let photo: PhotoView = try reply.value()
    guard byteCount == photo.byteCount, photo.sha256 == nil || photo.sha256 == Digest.hex(digest.finish()) else {
      throw OperationError(
        "The photo is damaged in the storage: its bytes are not the uploaded ones. Run selfie-server doctor.")
    }
    return reply
  }
}
