import ArgumentParser
import Cryptography
import Glibc
import Platform
import SelfieOperations

/// `selfie-server photo export`.
struct PhotoExport: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Copy a photo to a file.",
    discussion: """
      The file has its name only once it is whole and on the disk. Its digest is compared with the one that the server \
      noted after the upload.

      EXAMPLES
        selfie-server photo export FSAuHrJhspUmMoooyDKQHOnhXPdTTHtJkojronznu ada.png
        selfie-server photo export FSAuHrJhspUmMoooyDKQHOnhXPdTTHtJkojronznu - | file -
      """)

  @OptionGroup var photo: PhotoArgument

  @Argument(help: "The file to make, or - for standard output.")
  var file: String

  @Flag(help: "Replace the file if there is one.")
  var force = false

  @OptionGroup var options: OwnerOptions

  func validate() throws {
    guard !file.isEmpty, !file.utf8.contains(0), !file.hasSuffix("/") else {
      throw ValidationError("The file needs a name.")
    }
  }

  func execute(on server: any OwnerEndpoint) throws {
    // The first response may be the last thing that is known of the photo.
    let description = try server.send("GET", ["photos", photo.id]).body()
    let (record, content) = (try JSONRecord(description), try server.send("GET", ["photos", photo.id, "content"]))
    guard file != "-" else {
      return try copy(content, of: record) {
        try FileSystem.write($0, to: Self.standardOutput, path: "standard output")
      }
    }
    // Only the owner may read the copy, as the photo itself.
    umask(0o077)
    let name = try NewFile(file, replaces: force)
    do {
      try copy(content, of: record, to: name.write)
      try name.commit()
    } catch {
      name.discard()
      throw error
    }
    options.report(
      "\(file) has the photo \"\(record.text("title") ?? "")\" of \(record.text("email") ?? "-").", description)
  }

  private static let standardOutput = OpenFile(owning: STDOUT_FILENO)

  private func copy(
    _ content: OwnerResponse, of record: JSONRecord, to write: (ArraySlice<UInt8>) throws -> Void
  ) throws {
    var digest = SHA256()
    var byteCount: Int64 = 0
    try content.forEachChunk { chunk in
      digest.update(Array(chunk))
      byteCount += Int64(chunk.count)
      try write(chunk)
    }
    // A photo that was just uploaded has no digest yet.
    let isWhole = byteCount == record.number("byte_count")
    let expected = record.text("sha256")
    guard isWhole, expected == nil || expected == Digest.hex(digest.finish()) else { throw Damaged() }
  }

  private struct Damaged: Error, CustomStringConvertible {
    var description: String {
      "The photo is damaged in the storage: its bytes are not those that were uploaded. See selfie-server doctor."
    }
  }
}
