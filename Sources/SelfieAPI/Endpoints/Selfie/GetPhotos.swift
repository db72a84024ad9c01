import HTTPMessages
import SQL

extension Application {
  /// `GET /api/get_photos`: the user's photos, oldest first.
  func getPhotos(_ call: Call, as found: TokenStore.TokenWithPhotos) async throws -> Response {
    // Rails parsed the parameters first: a malformed body is a 400 even though nothing in it is used.
    _ = try await call.parameters()
    guard found.token.isLive(at: clock()) else { throw Self.tokenExpired }
    let list = PhotoList(userID: found.token.userID, urlPrefix: photoURLPrefix(for: call.request))
    var first = found.photos.map { ListPage(list, after: ListPosition(startOf: list), of: $0) }
    if let file = database.file {
      let page = try ListPage.read(list, after: ListPosition(startOf: list), from: file)
      if page.end.isAtEnd {
        let kept = KeptPhotoList(
          token: found.token, host: Array(call.request.head.host ?? []), json: page.json, tag: ETag(of: page.json))
        keptLists.keep(
          kept, as: found.token.digest, of: list.userID, byteCount: page.json.count, readSince: found.readingStart)
        return success(kept.json, for: call.request, etag: kept.tag)
      }
      first = page
    }
    return try await response(with: list, first: first, to: call.request, by: list.userID)
  }

  /// The response of `getPhotos` if nothing of the user's has changed since the last one; otherwise nil.
  func keptPhotos(_ request: Request, id: ArraySlice<UInt8>?) -> Response? {
    guard request.head.query == nil, request.body.isEmpty, let digest = tokenDigest(of: request),
      let kept = keptLists[digest], kept.token.isLive(at: clock()),
      (request.head.host ?? []).elementsEqual(kept.host)
    else { return nil }
    request.context?.note { $0.userID = kept.token.userID }
    return success(kept.json, for: request, etag: kept.tag)
  }

  static let tokenExpired = APIError(
    .unauthorized, "Authtoken has expired. Please get a new token and try again!", reason: .expiredToken)
}

/// The response of get_photos.
struct PhotoList: RowList {
  let userID: Int64
  let urlPrefix: JSONFragment
  let start: Int64 = 0

  @inline(__always)
  func rows(after id: Int64, max: Int64) -> Query { PhotoStore.list(of: userID, after: id, max: max) }

  var version: Query { PhotoStore.version(of: userID) }

  var context: [UInt8] { urlPrefix.bytes }

  /// - Parameter row: its columns are those of `PhotoStore.Column`.
  func write(_ row: borrowing some RowReader & ~Copyable, to json: inout JSONWriter) -> Int64 {
    let id = row.integer(PhotoStore.Column.id)
    json.object { json in
      json.member("id", id)
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
    return id
  }
}
