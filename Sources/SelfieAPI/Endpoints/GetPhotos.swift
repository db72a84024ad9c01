import HTTPMessages

extension Application {
  /// `GET /api/get_photos`: the user's photos, oldest first.
  func getPhotos(_ call: Call) async throws -> Response {
    let token = try authentication.requireToken(call.request)
    _ = try await parameters(of: call)
    guard token.expiresAt > clock() else { throw Self.tokenExpired }
    let urlPrefix = photoURLPrefix(call.request)
    var json = WireJSON(capacity: 1024)
    try json.array { json in
      try photos.store.forEach(of: token.userID) { row in
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
          json.member("user_id", row.integer(PhotoStore.Column.userID))
          json.member("created_at", time: row.integer(PhotoStore.Column.createdAt))
          json.member("updated_at", time: row.integer(PhotoStore.Column.updatedAt))
          json.key("random_id")
          row.withTextBytes(PhotoStore.Column.randomID) { json.string(plain: $0) }
        }
      }
    }
    return success(json.bytes, for: call.request)
  }

  static let tokenExpired = APIError(
    .unauthorized, "Authtoken has expired. Please get a new token and try again!", reason: "expired_token")
}
