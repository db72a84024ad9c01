import Glibc
import HTTPMessages
import Platform
import SelfieAPI

// The owner's commands about photos. `PhotoStore` in SelfieAPI has the queries, and `OwnerConsole` what all commands
// share.
extension OwnerConsole {
  func photos(of email: String?, before id: Int64, _ limit: Int64) async throws -> OwnerReply {
    let user = try await requireUser(email)
    return try await list(
      limit,
      user.map { PhotoStore.newest(of: $0.id, before: id, max: limit) } ?? PhotoStore.newest(before: id, max: limit),
      total: user.map { PhotoStore.count(of: $0.id) } ?? PhotoStore.totals, PhotoView.init)
  }

  func showPhoto(_ id: String) async throws -> OwnerReply {
    try await OwnerReply(of: PhotoView(photo(id)))
  }

  func exportPhoto(_ id: String) async throws -> OwnerReply {
    let owned = try await photo(id)
    let (bytes, pool, id) = (application.photos.bytes, application.photos.pool, owned.record.randomID)
    guard let byteCount = try await bytes.size(of: id),
      let body = try await bytes.body(
        of: id, byteCount: byteCount, offset: 0, length: byteCount, isFetched: true, flow: Flow(),
        memory: application.memory)
    else { throw Self.noBytes }
    let stream =
      switch body {
      case .stream(let stream, _, _), .pages(let stream), .raw(let stream): stream
      case .bytes(let bytes): BodyStream { offset, count in Array(bytes.dropFirst(Int(offset)).prefix(count)) }
      case .file(let file, _, _):
        BodyStream { offset, count in
          try await pool.run { try FileSystem.read(file, at: off_t(offset), count, path: id) }
        }
      }
    var reply = try OwnerReply(of: PhotoView(owned))
    reply.content = stream
    reply.head.byteCount = byteCount
    return reply
  }

  func deletePhoto(_ id: String) async throws -> OwnerReply {
    let owned = try await photo(id)
    let (photo, email) = (owned.record, owned.email ?? "")
    guard try await application.photos.delete(randomID: photo.randomID, as: nil) else { throw Self.noPhoto }
    // An id in full would let anyone who reads the log see the photo in a backup.
    application.securityLog.log(
      ownersCommand: "photo delete", ["photo": photo.loggedID, "user": SecurityLog.masked(email)],
      numbers: ["user_id": photo.userID])
    return try OwnerReply("The photo \"\(photo.title)\" of \(email) is deleted.", of: PhotoView(owned))
  }

  private func photo(_ id: String) async throws -> Owned<Photo> {
    guard Photo.isID(id.utf8),
      let photo = try await application.database.first(PhotoStore.photo(randomID: id), as: Photo.self)
    else { throw id.contains("/") ? Self.idIsAddress : Self.noPhoto }
    return Owned(email: try await application.users.find(id: photo.userID)?.email, photo)
  }

  private static let noBytes = APIError(
    .notFound, "The file of the photo is missing. Run selfie-server doctor for details.")

  private static let idIsAddress = APIError(
    .notFound,
    "There is no photo with this random_id. Give only the \(Photo.idLength) letters at the end of the address.")

  private static let noPhoto = APIError(
    .notFound, "There is no photo with this random_id. To see all photos, run selfie-server photo list.")
}
