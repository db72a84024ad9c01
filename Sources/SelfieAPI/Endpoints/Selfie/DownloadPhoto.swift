import HTTPMessages
import Logging
import Platform

// The request and the response of a download. `PhotoBytes` reads the bytes, and `Representation` in HTTPMessages
// chooses the part.
extension Application {
  /// `GET /photos/<random_id>`: the bytes of a photo, for anyone who knows its id.
  func downloadPhoto(_ call: Call) async throws -> Response {
    let (id, start) = (String(decoding: call.id ?? [], as: UTF8.self), keptDownloads.beginReading())
    guard Photo.isID(id.utf8), let photo = try await photos.store.download(randomID: id) else {
      throw Self.noPhoto.detailed(Self.finding(aboutID: id))
    }
    keptDownloads.keep(photo, as: Array(id.utf8), of: photo.userID, byteCount: 0, readSince: start)
    let (head, range) = try self.head(of: photo, id.utf8, for: call.request)
    guard let range else { return head }
    let isFetched = call.request.head.method == .get
    if isFetched, let address = photos.bytes.address(of: id, contentType: photo.contentType) {
      // A temporary address is of use for one request only.
      var fields = ResponseFields(lines: "Cache-Control: no-store\r\n")
      fields.append("Location", address)
      return Response(status: Status(code: 302), fields: fields)
    }
    guard
      let body = try await photos.bytes.body(
        of: id, byteCount: photo.byteCount, offset: range.lowerBound, length: Int64(range.count), isFetched: isFetched,
        flow: call.client.flow(), memory: memory)
    else { throw try await missing(id) }
    return Response(status: head.status, fields: head.fields, body: body)
  }

  /// The response of `downloadPhoto` for a photo in a file whose row is kept; nil for others, and for errors.
  func keptPhoto(_ request: Request, id: ArraySlice<UInt8>?) -> Response? {
    guard let id, let photo = keptDownloads[Array(id)],
      let (head, range) = try? self.head(of: photo, id, for: request)
    else { return nil }
    guard let range else { return head }
    guard let body = try? photos.files.body(of: String(decoding: id, as: UTF8.self), photo.byteCount, range) else {
      return nil
    }
    return Response(status: head.status, fields: head.fields, body: body)
  }

  private static func finding(aboutID id: String) -> String {
    if Photo.isID(id.utf8) { return "no photo has this random_id: it was deleted, or is on another server" }
    let found = Int64(id) == nil ? "not a random_id, with its \(counted(id.utf8.count, "letter"))" : "a number"
    return "what follows /photos/ is \(found); expected the \(Photo.idLength) letters of an image_url of get_photos"
  }

  private static let noPhoto = APIError(.notFound, "There is no photo at this address.")

  /// The response without its body, and the photo's bytes that the body has; nil if it has none of them.
  private func head(
    of photo: PhotoStore.Download, _ id: some Collection<UInt8>, for request: Request
  ) throws -> (response: Response, range: Range<Int64>?) {
    let now = clock() / 1000
    let representation = photo.representation(id, now: now)
    switch representation.evaluate(request, now: now) {
    case .preconditionFailed: throw APIError(.preconditionFailed, "The photo is not the one that was asked for.")
    case .notModified: return (Response(status: .notModified, fields: .ofPhoto(representation)), nil)
    case .whole:
      return (Response(status: .ok, fields: .ofPhoto(representation, photo)), 0..<max(0, photo.byteCount))
    case .part(let range):
      var fields = ResponseFields.ofPhoto(representation, photo)
      fields.append("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(photo.byteCount)")
      return (Response(status: .partialContent, fields: fields), range)
    case .unsatisfiable:
      let message = "The photo has \(photo.byteCount) bytes, none of them in this range."
      var response = APIError(.rangeNotSatisfiable, message).response()
      response.fields.append("Content-Range", "bytes */\(photo.byteCount)")
      return (response, nil)
    }
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
