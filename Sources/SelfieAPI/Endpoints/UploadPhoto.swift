import HTTPMessages

extension Application {
  /// `POST /api/upload_photo`: stores the file of the multipart part `image` under the `title`.
  ///
  /// An unknown token is refused before the body is read. The image goes to the disk as it comes;
  /// it is kept only when everything else is in order, and answered when file and row are durable.
  func uploadPhoto(_ call: Call) async throws -> Response {
    // Before the token is looked up, since it is that user's photo only as long as nobody replaces all users.
    let generation = photos.gate.generation
    let token = try authentication.requireToken(call.request)
    let isExpired = token.expiresAt <= clock()
    let upload = try await receiveUpload(call, storesImage: !isExpired)
    let parameters = Parameters(query: try queryParameters(of: call.request), body: upload.form)
    if let override = MethodOverride(form: upload.form), override.method != .post { throw APIError.notFound }

    guard parameters["title"].isPresent, let image = parameters["image"], image.isPresent else {
      throw APIError.parametersMissing
    }
    if isExpired {
      throw APIError(.unauthorized, "Authtoken has expired", reason: "expired_token")
    }
    guard case .file(let file) = image, let incoming = upload.image else {
      throw APIError(.badRequest, "image must be a file: a multipart part with a filename.")
    }
    let photo = Photo(
      randomID: upload.id, userID: token.userID, name: try Self.checked("filename", file.filename),
      title: try Self.checked("title", parameters.text("title")) ?? "", byteCount: Int64(incoming.byteCount),
      contentType: incoming.contentType.name, createdAt: clock())
    try await photos.add(photo, incoming, since: generation)
    return success(uploadJSON(photo, call.request), for: call.request)
  }

  private func uploadJSON(_ photo: Photo, _ request: Request) -> [UInt8] {
    let prefix = photoURLPrefix(request)
    return JSONWriter.object { json in
      json.member("name", photo.name)
      json.member("title", photo.title)
      json.key("image_url")
      Array(photo.randomID.utf8).withUnsafeBufferPointer { json.string(prefix, thenPlain: $0) }
      json.member("random_id", photo.randomID)
    }
  }

  /// What came of the body of an upload.
  private struct Upload {
    let id: String
    let form: [String: ParameterValue]
    let image: IncomingPhoto?
  }

  private func receiveUpload(_ call: Call, storesImage: Bool) async throws -> Upload {
    let request = call.request
    let id = random.letters(Photo.idLength)
    guard !request.body.isEmpty,
      case .multipart(let boundary) = try BodyKind(contentType: request.head.fields[.contentType])
    else {
      return Upload(id: id, form: try await bodyParameters(of: request), image: nil)
    }
    let limit = settings.maxPhotoBytes
    if let length = request.body.length, length > limit + RequestLimits.besidePhoto { throw Self.tooLarge(limit) }

    var parser = MultipartParser(boundary: boundary)
    var form = MultipartForm()
    var image: IncomingPhoto?
    var isInImage = false
    var readBytes = 0
    receiving: while true {
      switch try parser.next() {
      case .part(let head):
        form.begin(head)
        isInImage = head.isImageFile
        // Of two images the last one counts.
        if isInImage { image = photos.receive(id: id) }
      case .data(let data):
        try form.append(data)
        guard isInImage, let image else { continue }
        guard image.byteCount + data.count <= limit else { throw Self.tooLarge(limit) }
        if storesImage { try await image.append(data) }
      case .partEnd:
        try form.end()
      case .needsMore:
        guard let bytes = try await request.body.next() else {
          try parser.finish()
          break receiving
        }
        readBytes += bytes.count
        guard readBytes <= limit + RequestLimits.besidePhoto else { throw Self.tooLarge(limit) }
        parser.append(bytes)
      case .end:
        break receiving
      }
    }
    return Upload(id: id, form: form.values, image: image)
  }

  private static func tooLarge(_ limit: Int) -> APIError {
    APIError(.contentTooLarge, "The photo is larger than \(limit) bytes.")
  }

  /// A text that fits the original's columns.
  private static func checked(_ name: String, _ text: String?) throws -> String? {
    guard let text else { return nil }
    guard text.unicodeScalars.count <= Validation.mostCharacters else {
      throw APIError(.badRequest, "\(name) is too long (maximum is \(Validation.mostCharacters) characters).")
    }
    guard !text.utf8.contains(0) else { throw APIError(.badRequest, "\(name) must not contain a NUL character.") }
    return text
  }
}

extension PartHead {
  fileprivate var isImageFile: Bool {
    guard name == "image", case .file = kind else { return false }
    return true
  }
}
