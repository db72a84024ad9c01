import HTTPMessages
import SQL

extension Application {
  /// The same where the database is shared: the token and a short list come in one round trip.
  func getPhotosOfShared(_ call: Call) async throws -> Response {
    let found: TokenStore.PhotosOfToken
    if call.request.body.isEmpty {
      found = try await authentication.requireTokenWithPhotos(call.request)
      _ = try await call.parameters()
    } else {
      // A body may take minutes to arrive, and the token may have been ended meanwhile.
      _ = try await authentication.requireToken(call.request)
      _ = try await call.parameters()
      found = try await authentication.requireTokenWithPhotos(call.request)
    }
    guard !found.hasExpired else { throw Self.tokenExpired }
    let (rows, list) = (found.rows, PhotoList(userID: found.userID, urlPrefix: photoURLPrefix(for: call.request)))
    if let json = list.shortJSON(of: rows) { return success(json, for: call.request) }
    let long = try await longLists.list(list.key) {
      try await database.list(PhotoStore.list(of: list.userID))
    } _: { photos, json, memory in
      guard case .fetched(let rows) = photos else { return }
      try json.array { json in
        for row in rows {
          list.write(row, to: &json)
          try memory.cover(json.count)
        }
      }
    }
    return response(with: long, to: call.request)
  }
}

extension PhotoList {
  /// The list, unless it is long.
  fileprivate func shortJSON(of rows: Rows) -> [UInt8]? {
    guard rows.count <= Self.maxOnEventLoop else { return nil }
    var json = JSONWriter(capacity: 1024)
    json.array { json in
      for row in rows where json.count < LongList.minBytes { write(row, to: &json) }
    }
    return json.count >= LongList.minBytes ? nil : json.bytes
  }
}

extension Authentication {
  /// As `requireToken`, with the photos of the token's user.
  fileprivate func requireTokenWithPhotos(_ request: Request) async throws -> TokenStore.PhotosOfToken {
    guard let digest = digest(request) else { throw Self.deniedToken }
    guard let found = try await tokens.findWithPhotos(digest: digest, max: PhotoList.maxOnEventLoop + 1, now: clock())
    else {
      throw try await denial(of: digest, to: request)
    }
    request.context?.note(userID: found.userID)
    return found
  }
}
