import SelfieAPI

// Compares photos' rows with their bytes, which `CheckedBytes` reads.
extension RowCheck {
  /// Checks that the bytes of every photo are there, and are those that were uploaded.
  ///
  /// - Parameter dropsMissing: whether the rows of photos without bytes are deleted.
  func checkPhotos(dropsMissing: Bool = false) async throws {
    let total = Int(try await database.number(PhotoStore.totals))
    var seen = 0
    try await database.forEachPage({ PhotoStore.page(after: $0) }, id: \.id) { (page: [Photo]) in
      let conditions = try await page.mapConcurrently(atOnce: bytes.photosAtOnce) {
        [bytes, readsPhotos, repairs] photo in
        try await bytes.condition(of: photo, reads: readsPhotos || repairs && photo.sha256 == nil)
      } each: { _ in
        seen += 1
        findings.show(Progress("Checking", seen, of: total, "photo"))
      }
      var digested: [Photo] = []
      var lost: [String] = []
      for (var photo, condition) in zip(page, conditions) {
        findings.count { $0.photos += 1 }
        switch condition {
        case .missing:
          // A deletion removes the row first. So a photo that still has a row has lost its bytes.
          let rows = try await database.all(PhotoStore.photo(randomID: photo.randomID), as: Photo.self)
          lost += rows.map(\.randomID)
        case .wrong(let kind, let message):
          if kind == .wrongDigest { findings.count { $0.digests += 1 } }
          findings.add(kind, bytes.subject(photo.randomID), message)
        case .sound(let sha256):
          if sha256 != nil { findings.count { $0.digests += 1 } }
          guard photo.sha256 == nil else { continue }
          photo.sha256 = sha256
          if repairs { digested.append(photo) } else { findings.count { $0.photosWithoutDigest += 1 } }
        case .unreadable(let error): findings.fail(error)
        }
      }
      try await finish(lost, digested, dropsMissing)
    }
  }

  private func finish(_ lost: [String], _ digested: [Photo], _ dropsMissing: Bool) async throws {
    for id in lost {
      let message = dropsMissing ? "the file of a photo was missing; its row is deleted" : bytes.messageOnMissing
      findings.add(.missingFile, bytes.subject(id), message, isRepaired: dropsMissing)
    }
    let dropped = dropsMissing ? lost : []
    guard !digested.isEmpty || !dropped.isEmpty else { return }
    try await database.repair(about: .all) { tx in
      try tx.removePhotos(dropped)
      try tx.setDigests(of: digested)
    }
  }
}
