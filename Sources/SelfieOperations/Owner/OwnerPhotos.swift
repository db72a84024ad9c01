import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

extension OwnerInterface {
  /// `GET /photos`: the newest photos, of the user `email` or of everybody.
  func listPhotos(_ call: OwnerCall) async throws -> Response {
    let limit = try call.limit()
    let user: User? = if let email = try call.parameter("email") { try await requireUser(email) } else { nil }
    return try await list(
      user.map { PhotoStore.newest(of: $0.id, max: limit) } ?? PhotoStore.newest(max: limit),
      total: user.map { PhotoStore.count(of: $0.id) } ?? PhotoStore.totals, of: OwnedPhoto.self
    ) { $0.members(of: $1) }
  }

  /// `GET /photos/ID`.
  func showPhoto(_ call: OwnerCall) async throws -> Response {
    let owned = try await photo(call.name)
    return .owner(JSONWriter.object { $0.members(of: owned) })
  }

  /// `GET /photos/ID/content`: the bytes of a photo.
  func exportPhoto(_ call: OwnerCall) async throws -> Response {
    let photo = try await photo(call.name).photo
    let id = photo.randomID
    let bytes = application.photos.bytes
    guard let byteCount = try await bytes.size(of: id),
      let body = try await bytes.body(
        of: id, byteCount: byteCount, offset: 0, length: byteCount, isFetched: true, turn: Turn(),
        memory: application.memory)
    else { throw Self.noBytes }
    return Response(status: .ok, body: body)
  }

  /// `DELETE /photos/ID`.
  func deletePhoto(_ call: OwnerCall) async throws -> Response {
    let owned = try await photo(call.name)
    let (photo, email) = (owned.photo, owned.email)
    guard try await application.photos.delete(randomID: photo.randomID) else { throw Self.noPhoto }
    // An id in full would let anyone who reads the log see the photo in a backup.
    application.securityLog.log(
      ownersCommand: "photo delete", ["photo": photo.loggedID, "user": SecurityLog.masked(email)],
      numbers: ["user_id": photo.userID])
    return .owner(JSONWriter.object { $0.members(of: owned) })
  }

  private func photo(_ id: String) async throws -> OwnedPhoto {
    guard Photo.isID(id.utf8),
      let photo = try await application.database.first(PhotoStore.owned(randomID: id), as: OwnedPhoto.self)
    else { throw Self.noPhoto }
    return photo
  }

  private static let noBytes = APIError(
    .notFound, "The file of the photo is missing. selfie-server doctor says more.")

  private static let noPhoto = APIError(
    .notFound, "There is no photo of this random_id. selfie-server photo list shows them.")
}

extension JSONWriter {
  fileprivate mutating func members(of owned: OwnedPhoto) {
    let photo = owned.photo
    member("id", photo.id)
    member("random_id", photo.randomID)
    member("email", owned.email)
    member("user_id", photo.userID)
    member("name", photo.name)
    member("title", photo.title)
    member("byte_count", photo.byteCount)
    member("content_type", photo.contentType)
    member("sha256", photo.sha256.map { Digest.hex($0) })
    member("created_at", time: photo.createdAt)
    member("updated_at", time: photo.updatedAt)
  }
}
