import Platform
import SelfieAPI

extension ClusterCheck {
  /// How many objects are looked at at once.
  private static let objectsAtOnce = 8

  /// Checks that the object of every row exists and is the one that was uploaded.
  func checkPhotos(_ counts: inout CheckCounts) async throws {
    var last = Int64.min
    while case let page = try await database.all(PhotoStore.page(after: last), as: Photo.self), let newest = page.last {
      let looks = try await looks(at: page)
      for look in looks { note(look, &counts) }
      let digested = looks.compactMap(\.digested)
      if !digested.isEmpty { try await database.write(about: .all) { try $0.setDigests(of: digested) } }
      last = newest.id
    }
  }

  private func looks(at photos: [Photo]) async throws -> [ObjectLook] {
    var rest = photos[...]
    var looks: [ObjectLook] = []
    try await withThrowingTaskGroup(of: ObjectLook.self) { group in
      func addNext() {
        guard let photo = rest.popFirst() else { return }
        group.addTask { [self] in
          try await ObjectLook(
            at: photo, in: objects, database, reads: readsPhotos, notesDigest: library != nil)
        }
      }
      for _ in 0..<Self.objectsAtOnce { addNext() }
      while let look = try await group.next() {
        looks.append(look)
        addNext()
      }
    }
    return looks
  }

  private func note(_ look: ObjectLook, _ counts: inout CheckCounts) {
    counts.photos += 1
    if look.isRead { counts.digests += 1 }
    if look.photo.sha256 == nil && look.digested == nil { counts.photosWithoutDigest += 1 }
    if let finding = look.finding {
      found(finding.kind, "photo \(look.photo.randomID)", finding.message, &counts)
    }
  }
}
