import HTTPMessages

extension Application {
  /// `GET /api/get_photos`: the user's photos, oldest first.
  func getPhotos(_ call: Call) async throws -> Response {
    let token = try authentication.requireToken(call.request)
    _ = try await parameters(of: call)
    guard token.expiresAt > clock() else { throw Self.tokenExpired }
    let list = PhotoList(store: photos.store, userID: token.userID, urlPrefix: photoURLPrefix(call.request))
    if let json = try list.json(most: PhotoList.short) { return success(json, for: call.request) }
    let (json, tag) = try await listing.run {
      let json = try list.json() ?? []
      return (json, Self.tag(of: json))
    }
    return success(json, for: call.request, etag: tag)
  }

  static let tokenExpired = APIError(
    .unauthorized, "Authtoken has expired. Please get a new token and try again!", reason: "expired_token")
}

/// The photos of a user, as get_photos tells them.
private struct PhotoList: Sendable {
  let store: PhotoStore
  let userID: Int64
  let urlPrefix: JSONFragment

  /// As many as are listed on an event loop. Beyond these, a list is made where nobody else waits for it to end: ten
  /// thousand photos take fifteen milliseconds.
  static let short: Int64 = 200

  /// The list; nil if there are more than `most` photos.
  func json(most: Int64? = nil) throws -> [UInt8]? {
    var json = JSONWriter(capacity: 1024)
    var count: Int64 = 0
    try json.array { json in
      try store.forEach(of: userID, most: most.map { $0 + 1 } ?? -1) { row in
        count += 1
        write(row, to: &json)
      }
    }
    if let most, count > most { return nil }
    return json.bytes
  }

  private func write(_ row: borrowing PhotoStore.Row, to json: inout JSONWriter) {
    json.object { json in
      json.member("id", row.integer(PhotoStore.Column.id))
      json.key("name")
      if row.isNull(PhotoStore.Column.name) {
        json.null()
      } else {
        row.withTextBytes(PhotoStore.Column.name) { json.string(utf8: $0) }
      }
      json.key("title")
      row.withTextBytes(PhotoStore.Column.title) { json.string(utf8: $0) }
      json.key("image_url")
      row.withTextBytes(PhotoStore.Column.randomID) { json.string(urlPrefix, thenPlain: $0) }
      json.member("user_id", userID)
      json.member("created_at", time: row.integer(PhotoStore.Column.createdAt))
      json.member("updated_at", time: row.integer(PhotoStore.Column.updatedAt))
      json.key("random_id")
      row.withTextBytes(PhotoStore.Column.randomID) { json.string(plain: $0) }
    }
  }
}
