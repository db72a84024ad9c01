import HTTPMessages
import SQL
import SQLite

// The request and the response of get_photos. `PhotoStore` has the queries, and ListResponses.swift sends the list.
extension Application {
  /// `GET /api/get_photos`: the user's photos, oldest first.
  func getPhotos(_ call: Call, as token: Token) async throws -> Response {
    // Rails parsed the parameters first: a malformed body is a 400 even though nothing in it is used.
    _ = try await call.parameters()
    guard token.isLive(at: clock()) else { throw APIError.tokenExpired }
    let list = PhotoList(userID: token.userID, urlPrefix: settings.photoURLPrefix(for: call.request))
    let isLong = keptPhotos(call.request, as: token.digest)?.isLong ?? false
    return try await response(with: list, isLong: isLong, to: call, by: list.userID)
  }

  /// The response of `getPhotos` for a live token whose list is short and in a file; nil for all others.
  func photosAtOnce(_ request: Request, id: ArraySlice<UInt8>?) -> Response? {
    guard let file = database.file, request.body.isEmpty, request.hasShortQuery,
      let digest = tokenDigest(of: request),
      let list = keptPhotos(request, as: digest) ?? (try? readPhotos(request, as: digest, from: file)),
      let content = list.content
    else { return nil }
    request.context?.note { $0.userID = list.token.userID }
    return .success(content.json, for: request, etag: content.tag)
  }

  /// The last list of the token, if nothing of its user's has changed since.
  func keptPhotos(_ request: Request, as digest: [UInt8]) -> KeptPhotoList? {
    guard request.head.query == nil, let kept = keptLists[digest], kept.token.isLive(at: clock()),
      (request.head.host ?? []).equals(kept.host)
    else { return nil }
    return kept
  }

  /// Reads the list of a token and keeps it; nil if the token is not live.
  private func readPhotos(_ request: Request, as digest: [UInt8], from file: Database) throws -> KeptPhotoList? {
    _ = try request.queryParameters()
    let start = keptLists.beginReading()
    let read = try file.read { connection -> KeptPhotoList? in
      let found = try connection.first(TokenStore.token(digest: digest)) { TokenStore.Found($0) }
      guard let token = try found?.token(now: clock()), token.isLive(at: clock()) else { return nil }
      let list = PhotoList(userID: token.userID, urlPrefix: settings.photoURLPrefix(for: request))
      let page = try ListPage.read(list, after: ListPosition(startOf: list), from: connection)
      return KeptPhotoList(
        token: token, host: Array(request.head.host ?? []), json: page.end.isAtEnd ? page.json : nil)
    }
    guard let read else { return nil }
    keptLists.keep(read, as: digest, of: read.token.userID, byteCount: read.byteCount, readSince: start)
    return read
  }
}

/// The response of get_photos.
struct PhotoList: RowList {
  let userID: Int64
  let urlPrefix: [UInt8]
  let start: Int64 = 0

  @inline(__always)
  func rows(after id: Int64, max: Int64) -> Query { PhotoStore.list(of: userID, after: id, max: max) }

  var version: Query { PhotoStore.version(of: userID) }

  var context: [UInt8] { urlPrefix }

  func write(_ row: borrowing some RowReader & ~Copyable, to json: inout JSONWriter) -> Int64 {
    let id: Int64 = row["id"]
    json.object { json in
      json.member("id", id)
      json.key("name")
      let name = row.position(of: "name")
      if row.isNull(name) {
        json.null()
      } else {
        row.withTextBytes(name) { json.string(utf8: $0) }
      }
      json.key("title")
      row.withTextBytes("title") { json.string(utf8: $0) }
      row.withTextBytes("random_id") { randomID in
        json.key("image_url")
        json.string(urlPrefix, plain: randomID)
        json.member("user_id", userID)
        json.member("created_at", time: row["created_at"] as Int64)
        json.member("updated_at", time: row["updated_at"] as Int64)
        json.key("random_id")
        json.string(plain: randomID)
      }
    }
    return id
  }
}
