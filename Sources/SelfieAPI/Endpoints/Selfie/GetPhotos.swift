import HTTPMessages
import Platform
import SQL

extension Application {
  /// `GET /api/get_photos`: the user's photos, oldest first.
  func getPhotos(_ call: Call) async throws -> Response {
    // Rails parsed the parameters first: a malformed body is a 400 even though nothing in it is used.
    let (token, _) = try await authentication.tokenAndParameters(of: call)
    guard token.expiresAt > clock() else { throw Self.tokenExpired }
    let list = PhotoList(
      store: photos.store, userID: token.userID,
      urlPrefix: photoURLPrefix(for: call.request))
    let reservation = listsInFlight.reservation()
    if let json = try list.json(max: PhotoList.maxOnEventLoop, reservation) {
      guard json.count >= ListsInFlight.minBytes else { return success(json, for: call.request) }
      return try share(json, tag: ETag(of: json), for: call.request, of: .user(token.userID), reservation)
    }
    // Clients that have gone need no list.
    let (json, tag) = try await lists.runUnlessCancelled {
      let json = try list.json(reservation)
      return (json, ETag(of: json))
    }
    return try share(json, tag: tag, for: call.request, of: .user(token.userID), reservation)
  }

  static let tokenExpired = APIError(
    .unauthorized, "Authtoken has expired. Please get a new token and try again!", reason: "expired_token")
}

/// The response of get_photos.
private struct PhotoList: Sendable {
  let store: PhotoStore
  let userID: Int64
  let urlPrefix: JSONFragment

  /// Longer lists are made by a worker, so that no other request of the event loop waits for them: ten thousand photos
  /// take fifteen milliseconds.
  static let maxOnEventLoop: Int64 = 200

  /// The whole list.
  func json(_ reservation: MemoryReservation) throws -> [UInt8] {
    try write(max: Int64(Int32.max), reservation).json
  }

  /// The list; nil if there are more than `max` photos.
  func json(max: Int64, _ reservation: MemoryReservation) throws -> [UInt8]? {
    let (json, count) = try write(max: max + 1, reservation)
    return count > max ? nil : json
  }

  /// - Parameter reservation: grows with a long list.
  private func write(max: Int64, _ reservation: MemoryReservation) throws -> (json: [UInt8], count: Int64) {
    var json = JSONWriter(capacity: 1024)
    var count: Int64 = 0
    var memory = ListMemory(reservation)
    try json.array { json in
      try store.forEach(of: userID, max: max) { row in
        count += 1
        write(row, to: &json)
        try memory.cover(json.count)
      }
    }
    return (json.bytes, count)
  }

  private func write(_ row: borrowing some RowReader & ~Copyable, to json: inout JSONWriter) {
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
