import HTTPMessages

// The request and the response of delete_photo. `PhotoLibrary` deletes the photo.
extension Application {
  /// `DELETE /api/delete_photo`: deletes the user's photo whose `random_id` is the parameter `photo_id`.
  func deletePhoto(_ call: Call, as token: Token) async throws -> Response {
    let parameters = try await call.parameters()
    guard token.isLive(at: clock()) else { throw APIError.tokenExpired }
    let sent: String?
    do {
      sent = try parameters.key("photo_id")
    } catch let error as APIError {
      throw error.detailed(Self.finding(aboutID: parameters["photo_id"]))
    }
    guard let id = sent,
      try await photos.delete(randomID: id, as: token)
    else {
      throw APIError(
        .unauthorized, "Invalid Photo ID or You don't have permission to delete this photo!", reason: .unknownPhoto,
        detail: Self.finding(aboutID: parameters["photo_id"]))
    }
    return .success(StatusMessage.json(200, "Image deleted"), for: call.request)
  }

  private static func finding(aboutID value: ParameterValue?) -> String {
    let found =
      switch value {
      case .number?, .array?, .object?: "photo_id is \(value?.kind ?? "")"
      case .string(let id)? where Int64(id) != nil: "photo_id is a number"
      case .string(let id)? where id.contains("/"): "photo_id is an address"
      case .string(let id)? where Photo.isID(id.utf8): "no photo of this user has this random_id"
      default: "photo_id does not look like a random_id"
      }
    return "\(found); DELETE /api/delete_photo needs the random_id that get_photos gives, \(Photo.idLength) letters"
  }
}
