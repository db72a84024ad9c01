import HTTPMessages
import Platform
import SQL
import SQLite

extension Application {
  /// `GET /api/get_photos`: the user's photos, oldest first.
  func getPhotos(_ call: Call) async throws -> Response {
    guard case .file(let file) = database else { return try await getPhotosOfShared(call) }
    // Rails parsed the parameters first: a malformed body is a 400 even though nothing in it is used.
    let (token, _) = try await authentication.tokenAndParameters(of: call)
    guard token.expiresAt > clock() else { throw Self.tokenExpired }
    let list = PhotoList(userID: token.userID, urlPrefix: photoURLPrefix(for: call.request))
    if let json = try list.shortJSON(from: file) { return success(json, for: call.request) }
    let long = try await longLists.list(list.key) { try list.write(from: file, to: &$0, &$1) }
    return response(with: long, to: call.request)
  }

  static let tokenExpired = APIError(
    .unauthorized, "Authtoken has expired. Please get a new token and try again!", reason: "expired_token")
}

/// The response of get_photos.
struct PhotoList: Sendable {
  let userID: Int64
  let urlPrefix: JSONFragment

  /// Longer lists are made by a worker, so that no other request of the event loop waits for them: ten thousand photos
  /// take fifteen milliseconds.
  static let maxOnEventLoop: Int64 = 200

  var key: LongList.Key { .photos(of: userID, urlPrefix: urlPrefix.bytes) }

  /// The list, unless it is long.
  func shortJSON(from file: Database) throws -> [UInt8]? {
    var json = JSONWriter(capacity: 1024)
    var count: Int64 = 0
    try json.array { json in
      try file.read { connection in
        try PhotoStore.forEach(of: userID, max: Self.maxOnEventLoop + 1, on: connection) { row in
          count += 1
          if json.count < LongList.minBytes { write(row, to: &json) }
        }
      }
    }
    return count > Self.maxOnEventLoop || json.count >= LongList.minBytes ? nil : json.bytes
  }

  /// Writes the whole list, however long it is.
  func write(from file: Database, to json: inout JSONWriter, _ memory: inout ListMemory) throws {
    try json.array { json in
      try file.read { connection in
        try PhotoStore.forEach(of: userID, max: Int64(Int32.max), on: connection) { row in
          write(row, to: &json)
          try memory.cover(json.count)
        }
      }
    }
  }

  /// - Parameter row: its columns are those of `PhotoStore.Column`.
  func write(_ row: borrowing some RowReader & ~Copyable, to json: inout JSONWriter) {
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
