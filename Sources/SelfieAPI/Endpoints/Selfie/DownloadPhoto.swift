import HTTPMessages
import Platform

extension Application {
  /// `GET /photos/<random_id>`: the bytes of a photo, for anyone who knows its id.
  func downloadPhoto(_ call: Call) async throws -> Response {
    let id = String(decoding: call.id ?? [], as: UTF8.self)
    let start = keptDownloads.beginReading()
    guard Photo.isID(id.utf8), let photo = try await photos.store.download(randomID: id) else { throw Self.noPhoto }
    keptDownloads.keep(photo, as: Array(id.utf8), of: photo.userID, byteCount: 0, readSince: start)
    let representation = photo.representation(id.utf8, now: clock() / 1000)
    switch representation.evaluate(call.request, now: clock() / 1000) {
    case .preconditionFailed: throw APIError(.preconditionFailed, "The photo is not the one that was asked for.")
    case .notModified: return Response(status: .notModified, fields: .ofPhoto(representation))
    case .whole: return try await response(.ok, id, photo, 0..<max(0, photo.byteCount), to: call.request)
    case .part(let range): return try await response(.partialContent, id, photo, range, to: call.request)
    case .unsatisfiable:
      var fields = ResponseFields.uncachedJSON
      fields.append("Content-Range", "bytes */\(photo.byteCount)")
      let message = StatusMessage.json(
        416, "The photo has \(photo.byteCount) bytes, none of them in this range.")
      return Response(status: .rangeNotSatisfiable, fields: fields, body: .bytes(message))
    }
  }

  /// The response of `downloadPhoto` for a photo in a file whose row is kept; nil for others, and for what is rare.
  func keptPhoto(_ request: Request, id: ArraySlice<UInt8>?) -> Response? {
    guard let id, let photo = keptDownloads[Array(id)] else { return nil }
    let representation = photo.representation(id, now: clock() / 1000)
    switch representation.evaluate(request, now: clock() / 1000) {
    case .notModified: return Response(status: .notModified, fields: .ofPhoto(representation))
    case .whole:
      guard let found = try? photos.files.open(String(decoding: id, as: UTF8.self)), found.byteCount == photo.byteCount
      else { return nil }
      return Response(
        status: .ok, fields: .ofPhoto(representation, photo),
        body: .file(found.file, offset: 0, length: photo.byteCount))
    case .part, .preconditionFailed, .unsatisfiable: return nil
    }
  }

  private static let noPhoto = APIError(.notFound, "There is no photo at this address.")

  /// A response with bytes of a photo.
  @inline(__always)
  private func response(
    _ status: Status, _ id: String, _ photo: PhotoStore.Download, _ range: Range<Int64>, to request: Request
  ) async throws -> Response {
    let isFetched = request.head.method == .get
    if isFetched, let address = photos.bytes.address(of: id, contentType: photo.contentType) {
      // A temporary address is of use for one request only.
      var fields = ResponseFields(lines: "Cache-Control: no-store\r\n")
      fields.append("Location", address)
      return Response(status: Status(code: 302), fields: fields)
    }
    guard
      let body = try await photos.bytes.body(
        of: id, byteCount: photo.byteCount, offset: range.lowerBound, length: Int64(range.count), isFetched: isFetched,
        turn: turn(of: request, by: nil), memory: memory)
    else { throw try await missing(id) }
    var fields = ResponseFields.ofPhoto(photo.representation(id.utf8, now: clock() / 1000), photo)
    if status == .partialContent {
      fields.append("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(photo.byteCount)")
    }
    return Response(status: status, fields: fields, body: body)
  }

  /// The response where the bytes are missing or are more or fewer than the photo's row says.
  private func missing(_ id: String) async throws -> APIError {
    // If the photo was deleted between the two queries, nothing is wrong.
    if try await photos.store.download(randomID: id) != nil {
      logger.error(
        "a stored photo is missing or has the wrong length: run selfie-server doctor",
        metadata: ["photo": "\(id.prefix(Photo.loggedLetters))…"])
    }
    return Self.noPhoto
  }
}

extension PhotoStore.Download {
  /// A photo never changes, so its id can be its tag. Its date is never later than the response's, even if the clock was
  /// set back (RFC 9110 §8.8.2.1).
  fileprivate func representation(_ id: some Collection<UInt8>, now: Int64) -> Representation {
    Representation(tag: ETag(id), lastModified: HTTPDate(unixSeconds: min(createdAt / 1000, now)), byteCount: byteCount)
  }
}

extension ResponseFields {
  /// - Parameter photo: nil for a response without content.
  fileprivate static func ofPhoto(
    _ representation: Representation, _ photo: PhotoStore.Download? = nil
  ) -> ResponseFields {
    var fields = ResponseFields(
      lines: "Accept-Ranges: bytes\r\nCache-Control: private, max-age=31536000, immutable\r\n")
    fields.append("ETag", representation.tag.bytes)
    fields.append("Last-Modified", representation.lastModified.bytes)
    guard let photo else { return fields }
    let type = ContentType(name: photo.contentType)
    fields.append("Content-Type", type.name)
    fields.append("Content-Disposition", type.isImage ? "inline" : "attachment" as StaticString)
    // A browser that takes the file for more than an image must not run anything in it.
    fields.append("Content-Security-Policy", "default-src 'none'; sandbox" as StaticString)
    return fields
  }
}
