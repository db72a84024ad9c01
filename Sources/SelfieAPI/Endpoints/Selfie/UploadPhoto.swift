import Cryptography
import HTTPMessages
import Platform

// The request and the response of upload_photo. `PhotoUpload` writes the file, and `PhotoLibrary` stores the photo.
extension Application {
  /// `POST /api/upload_photo`: stores the file of the multipart part `image` under the `title`.
  ///
  /// An unknown token is refused before the body is read, and so is a body for which a quota has no room. The image goes
  /// to the disk as it arrives, but stays there only if everything else is valid. The response is sent when file and row
  /// are durable.
  func uploadPhoto(_ call: Call, as token: Token) async throws -> Response {
    // Rails checked the parameters before the token's age, so the body is read although its image is not stored.
    let isExpired = !token.isLive(at: clock())
    let id = random.letters(Photo.idLength)
    let limits = PhotoLimits(
      maxPhotos: settings.maxPhotos, userQuota: settings.userQuota, storageQuota: settings.storageQuota)
    let room = isExpired ? nil : try await photos.room(of: token.userID, within: limits)
    var reader = UploadReader(
      maxPhotoBytes: settings.maxPhotoBytes, keepsImage: !isExpired, room: room, id: id, library: photos)
    let form = try await reader.read(call)
    guard !reader.imageIsText else { throw APIError.imageWithoutFilename }
    let parameters = form.replaced(by: try await call.queryParameters())
    if let method = Method.override(in: form), method != .post { throw APIError.notFound }

    try call.require(parameters, parts: reader.form.findings)
    if isExpired {
      throw APIError(.unauthorized, "Authtoken has expired", reason: .expiredToken)
    }
    guard case .file(let filename, _, _)? = parameters["image"], let upload = reader.image else {
      throw APIError.imageIsNoFile(
        detail: call.otherType
          ?? parameters["image"].map { "image is \($0.kind); expected a part named \"image\" with a filename" })
    }
    let photo = Photo(
      randomID: id, userID: token.userID, name: try Self.checked("filename", filename),
      title: try Self.checked("title", parameters.text("title")) ?? "", byteCount: Int64(upload.byteCount),
      contentType: upload.contentType.name, createdAt: clock())
    try await photos.add(
      upload, as: photo, by: token, within: limits, flow: call.client.flow(orOf: token.userID))
    activity.count(uploadedBytes: photo.byteCount)
    return .success(uploadJSON(photo, call.request), for: call.request)
  }

  private func uploadJSON(_ photo: Photo, _ request: Request) -> [UInt8] {
    let prefix = settings.photoURLPrefix(for: request)
    return JSONWriter.object { json in
      json.member("name", photo.name)
      json.member("title", photo.title)
      json.key("image_url")
      Array(photo.randomID.utf8).withUnsafeBufferPointer { json.string(prefix, plain: $0) }
      json.member("random_id", photo.randomID)
    }
  }

  /// A text that fits the original's columns.
  private static func checked(_ name: String, _ text: String?) throws -> String? {
    guard let text else { return nil }
    guard !Validation.isTooLong(text) else {
      throw APIError(.badRequest, "\(name) is too long (maximum is \(Validation.maxCharacters) characters).")
    }
    guard !text.hasNUL else { throw APIError(.badRequest, "\(name) must not contain a NUL character.") }
    return text
  }
}

/// Reads the body of an upload as it arrives: texts into a form, the image into a `PhotoUpload`.
private struct UploadReader {
  let maxPhotoBytes: Int
  let keepsImage: Bool
  /// Nil: there is no quota.
  let room: UploadRoom?
  let id: String
  let library: PhotoLibrary
  var form = MultipartForm()
  /// The last one, if there are several.
  var image: PhotoUpload?
  var isInImage = false
  /// In a part that should be the image and has no filename.
  var isInTextImage = false
  /// Whether the last part of this name is such a part.
  var imageIsText = false
  /// Bytes of the last piece of the body.
  var pieceBytes = 0
  var byteCount = 0

  /// - Throws: 413 as soon as the photo or the body as a whole is too large, and 507 as soon as it does not fit into a
  ///   quota.
  mutating func read(_ call: Call) async throws -> Parameters {
    do {
      let parameters = try await readParts(call)
      call.notes?.note(parameters.values)
      return parameters
    } catch {
      call.notes?.note(error, after: form.begunValues)
      throw error
    }
  }

  private mutating func readParts(_ call: Call) async throws -> Parameters {
    let request = call.request
    guard !request.body.isEmpty, case .multipart(let boundary) = try request.bodyKind()
    else { return try await withoutMultipart(call) }
    let length = request.body.length ?? 0
    try checkSize(length)
    // The rest of the body at least is the photo.
    try room?.check(max(1, Int64(length - RequestLimits.maxBytesBesidePhoto)))
    var parser = MultipartParser(boundary: boundary)
    while true {
      switch try parser.next() {
      case .part(let head): try begin(head)
      case .data(let data): try await append(data, of: request.body)
      case .partEnd: try form.end()
      case .needsMore:
        try hold(parser.heldBytes, of: request.body)
        guard let bytes = try await request.body.next() else {
          try parser.finish()
          return Parameters(form.values)
        }
        byteCount += bytes.count
        try checkSize(byteCount)
        pieceBytes = bytes.count
        try hold(parser.heldBytes + bytes.count, of: request.body)
        parser.append(bytes)
      case .end:
        call.notes?.noteEnd()
        return Parameters(form.values)
      }
    }
  }

  /// The parameters of a body that is no multipart: none of them is a photo. If they cannot be read, its type is what is
  /// wrong with it, and not its size or syntax.
  private func withoutMultipart(_ call: Call) async throws -> Parameters {
    do {
      return try await call.bodyParameters()
    } catch {
      let isUnreadable =
        switch error {
        case is ParameterError, BodyError.tooLarge: true
        default: false
        }
      guard isUnreadable, let otherType = call.otherType else { throw error }
      throw APIError.imageIsNoFile(detail: otherType)
    }
  }

  private mutating func begin(_ head: PartHead) throws {
    form.begin(head)
    (isInImage, isInTextImage) = (false, false)
    guard let name = head.name, name.utf8.elementsEqual("image".utf8) else { return }
    switch head.kind {
    case .dropped: return
    case .field:
      (isInTextImage, imageIsText) = (true, true)
      // The last part of the name counts.
      image = nil
      room?.release()
    case .misnamed(let error): throw error
    case .file:
      (isInImage, imageIsText) = (true, false)
      image = nil
      room?.release()
      image = library.newUpload(id: id, room: room)
    }
  }

  private mutating func append(_ data: ArraySlice<UInt8>, of body: RequestBody) async throws {
    do {
      try form.append(data)
    } catch let error as APIError where isInTextImage && error.status == .contentTooLarge {
      throw APIError.imageWithoutFilename
    }
    guard isInImage, let image else { return }
    guard image.byteCount + data.count <= maxPhotoBytes else { throw tooLarge }
    try room?.take(Int64(data.count))
    guard keepsImage else { return }
    let isShort = body.length.map { $0 <= PhotoUpload.maxHeldBytes } ?? false
    // A slice keeps all that was read with it.
    let kept = 2 * data.count < pieceBytes ? Array(data)[...] : data
    try await image.append(kept, isHeld: isShort && body.mayBeHeld)
  }

  /// Counts the memory that the upload holds: `piece` bytes that are being parsed, those of the image that are not on the
  /// disk, and the form.
  private func hold(_ piece: Int, of body: RequestBody) throws {
    try body.hold(piece + (image?.unwrittenBytes ?? 0) + form.memory)
  }

  private func checkSize(_ bytes: Int) throws {
    guard bytes <= maxPhotoBytes + RequestLimits.maxBytesBesidePhoto else { throw tooLarge }
  }

  private var tooLarge: APIError {
    APIError(.contentTooLarge, "The photo is larger than \(maxPhotoBytes) bytes.")
  }
}

extension APIError {
  fileprivate static let imageWithoutFilename = APIError(
    .badRequest, "image must be a file: its part has no filename in Content-Disposition.",
    detail: "image is text; expected a part named \"image\" with a filename (curl: -F image=@FILE)")

  fileprivate static func imageIsNoFile(detail: String?) -> APIError {
    APIError(.badRequest, "image must be a file: a multipart part with a filename.", detail: detail)
  }
}
