import HTTPMessages
import Platform

extension Application {
  /// `GET /photos/<random_id>`: the bytes of a photo, for everybody who knows its id.
  func downloadPhoto(_ call: Call) async throws -> Response {
    let id = String(decoding: call.id ?? [], as: UTF8.self)
    guard Photo.isID(id.utf8), let photo = try await photos.store.download(randomID: id) else { throw Self.noPhoto }
    // A photo never changes, so its id can be its tag.
    let representation = Representation(
      tag: ETag(id.utf8), lastModified: HTTPDate(unixSeconds: photo.createdAt / 1000),
      byteCount: photo.byteCount)
    var fields = ResponseFields(
      lines: "Accept-Ranges: bytes\r\nCache-Control: private, max-age=31536000, immutable\r\n")
    fields.append("ETag", representation.tag.bytes)
    fields.append("Last-Modified", representation.lastModified.bytes)

    switch representation.evaluate(call.request, now: clock() / 1000) {
    case .preconditionFailed: throw APIError(.preconditionFailed, "The photo is not the one that was asked for.")
    case .notModified: return Response(status: .notModified, fields: fields)
    case .whole:
      Self.describe(photo, in: &fields)
      return Response(
        status: .ok, fields: fields, body: .file(try await openFile(of: photo, id), offset: 0, length: photo.byteCount))
    case .part(let range):
      Self.describe(photo, in: &fields)
      fields.append("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(photo.byteCount)")
      return Response(
        status: .partialContent, fields: fields,
        body: .file(
          try await openFile(of: photo, id), offset: range.lowerBound, length: range.upperBound - range.lowerBound))
    case .unsatisfiable:
      var fields = ResponseFields.uncachedJSON
      fields.append("Content-Range", "bytes */\(photo.byteCount)")
      let message = StatusMessage.json(
        416, "The photo has \(photo.byteCount) bytes, none of them in this range.")
      return Response(status: .rangeNotSatisfiable, fields: fields, body: .bytes(message))
    }
  }

  private static let noPhoto = APIError(.notFound, "There is no photo at this address.")

  /// - Throws: 404 if the file is missing or has another length than its row says.
  private func openFile(of photo: PhotoStore.Download, _ id: String) async throws -> OpenFile {
    let found = try photos.open(id)
    if let found, found.byteCount == photo.byteCount { return found.file }
    // If the photo was deleted between the two queries, nothing is wrong.
    if try await photos.store.download(randomID: id) != nil {
      logger.error(
        "the file of a photo is missing or has another length: `selfie-server doctor` says more",
        metadata: ["photo": "\(id.prefix(Photo.loggedLetters))…"])
    }
    throw Self.noPhoto
  }

  private static func describe(_ photo: PhotoStore.Download, in fields: inout ResponseFields) {
    let type = ContentType(name: photo.contentType)
    fields.append("Content-Type", type.name)
    fields.append("Content-Disposition", type.isImage ? "inline" : "attachment" as StaticString)
    // A browser that takes the file for more than an image must not run anything in it.
    fields.append("Content-Security-Policy", "default-src 'none'; sandbox" as StaticString)
  }
}
