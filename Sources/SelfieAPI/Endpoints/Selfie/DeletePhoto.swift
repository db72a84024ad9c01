import HTTPMessages

extension Application {
  /// `DELETE /api/delete_photo`: deletes the user's photo whose `random_id` is the parameter `photo_id`.
  func deletePhoto(_ call: Call, as token: Token) async throws -> Response {
    let parameters = try await call.parameters()
    guard token.isLive(at: clock()) else { throw APIError.tokenExpired }
    guard let id = try parameters.key("photo_id"),
      try await photos.delete(randomID: id, as: token)
    else {
      throw APIError(
        .unauthorized, "Invalid Photo ID or You don't have permission to delete this photo!", reason: .unknownPhoto)
    }
    return success(StatusMessage.json(200, "Image deleted"), for: call.request)
  }
}
