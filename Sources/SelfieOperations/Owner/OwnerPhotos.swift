import Cryptography
import HTTPMessages
import SQLite
import SelfieAPI

extension OwnerInterface {
  /// `GET /photos`: the newest photos, of the user `email` or of everybody.
  func listPhotos(_ call: OwnerCall) async throws -> Response {
    let (limit, email) = (try call.limit(), try call.parameter("email"))
    let database = try application.database.requireFile()
    return try await application.onWorker {
      try database.read { connection in
        let user = try email.map { try Self.user($0, on: connection) }
        let photos =
          try user.map { try PhotoStore.newest(of: $0.id, max: limit, on: connection) }
          ?? PhotoStore.newest(max: limit, on: connection)
        var json = JSONWriter(capacity: 4096)
        json.array { json in
          for (photo, email) in photos { json.object { $0.members(of: photo, email: email) } }
        }
        let total =
          try user.map { try PhotoStore.count(of: $0.id, on: connection) } ?? PhotoStore.totals(on: connection).count
        return .owner(json.bytes, total: total)
      }
    }
  }

  /// `GET /photos/ID`.
  func showPhoto(_ call: OwnerCall) async throws -> Response {
    let (photo, email) = try photo(call.name)
    return .owner(JSONWriter.object { $0.members(of: photo, email: email) })
  }

  /// `GET /photos/ID/content`: the bytes of a photo.
  func exportPhoto(_ call: OwnerCall) async throws -> Response {
    let photo = try photo(call.name).photo
    let files = application.photos.files
    guard let file = try await application.photos.pool.run({ try files.open(photo.randomID) }) else {
      throw APIError(.notFound, "The file of the photo is missing. selfie-server doctor says more.")
    }
    return Response(status: .ok, body: .file(file.file, offset: 0, length: file.byteCount))
  }

  /// `DELETE /photos/ID`.
  func deletePhoto(_ call: OwnerCall) async throws -> Response {
    let (photo, email) = try photo(call.name)
    guard try await application.photos.delete(randomID: photo.randomID) else { throw Self.noPhoto }
    // An id in full would let anyone who reads the log see the photo in a backup.
    application.securityLog.log(
      ownersCommand: "photo delete", ["photo": photo.loggedID, "user": SecurityLog.masked(email)],
      numbers: ["user_id": photo.userID])
    return .owner(JSONWriter.object { $0.members(of: photo, email: email) })
  }

  private func photo(_ id: String) throws -> (photo: Photo, email: String) {
    guard Photo.isID(id.utf8) else { throw Self.noPhoto }
    return try application.database.requireFile().read { connection in
      guard let photo = try PhotoStore.find(randomID: id, on: connection) else { throw Self.noPhoto }
      return (photo, try UserStore.find(id: photo.userID, on: connection)?.email ?? "")
    }
  }

  private static let noPhoto = APIError(
    .notFound, "There is no photo of this random_id. selfie-server photo list shows them.")
}

extension JSONWriter {
  fileprivate mutating func members(of photo: Photo, email: String) {
    member("id", photo.id)
    member("random_id", photo.randomID)
    member("email", email)
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
