import HTTPMessages

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
    let list = PhotoList(userID: found.userID, urlPrefix: photoURLPrefix(for: call.request))
    let first = ListPage(list, after: ListPosition(startOf: list), of: found.rows)
    return try await response(with: list, first: first, to: call.request, by: found.userID)
  }
}

extension Authentication {
  /// As `requireToken`, with the photos of the token's user.
  fileprivate func requireTokenWithPhotos(_ request: Request) async throws -> TokenStore.PhotosOfToken {
    guard let digest = digest(request) else { throw Self.deniedToken }
    guard let found = try await tokens.findWithPhotos(digest: digest, max: ListPageLimits.maxRows + 1, now: clock())
    else {
      throw try await denial(of: digest, to: request)
    }
    request.context?.note(userID: found.userID)
    return found
  }
}
