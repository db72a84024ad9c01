import Cryptography
import HTTPMessages
import SelfieAPI

/// Reads an object piece by piece, so that a long one takes no more memory than a short one.
struct ObjectPieces {
  private let id: String
  private let byteCount: Int64
  private let objects: any PhotoObjects
  private var offset: Int64 = 0

  /// - Parameter byteCount: how many bytes to read. The object has as many.
  init(of id: String, byteCount: Int64, in objects: any PhotoObjects) {
    self.id = id
    self.byteCount = byteCount
    self.objects = objects
  }

  /// Nil behind the last piece.
  mutating func next() async throws -> [UInt8]? {
    guard offset < byteCount else { return nil }
    let end = offset + min(byteCount - offset, Int64(BodyStream.maxPieceBytes))
    let bytes = try await objects.get(id, offset..<end)
    offset = end
    return bytes
  }
}

extension PhotoObjects {
  /// The SHA-256 of a photo's object, which has as many bytes as the photo.
  func digest(of photo: Photo) async throws -> [UInt8] {
    var digest = SHA256()
    var pieces = ObjectPieces(of: photo.randomID, byteCount: photo.byteCount, in: self)
    while let bytes = try await pieces.next() { digest.update(bytes) }
    return digest.finish()
  }
}
