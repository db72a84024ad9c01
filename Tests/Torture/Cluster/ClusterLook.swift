import Glibc

/// A look past the servers: every row has its object, every object its row or a note of why it is there, and the sums
/// are right.
struct ClusterLook {
  let cluster: Cluster

  /// What the database knows of an object.
  private enum Kind: String {
    case photo, upload, removed
  }

  private func entries() throws -> [(kind: Kind, id: String, byteCount: Int)] {
    try cluster.database.rows(
      """
      SELECT 'photo', random_id, byte_count FROM photos UNION ALL SELECT 'upload', random_id, 0 FROM uploads
      UNION ALL SELECT 'removed', random_id, 0 FROM removed_photos
      """
    ).compactMap { row in
      guard row.count == 3, let kind = Kind(rawValue: row[0]), let count = Int(row[2]) else { return nil }
      return (kind, row[1], count)
    }
  }

  /// While no client asks for anything.
  func check() throws {
    // In this order: objects of which the database knows may go meanwhile, but none may come.
    let entries = try entries()
    let objects = try cluster.store.objects()
    for (kind, id, byteCount) in entries where kind == .photo {
      guard let stored = objects[id] else { throw Violation("the row of \(id) has no object") }
      guard stored == byteCount else { throw Violation("the object of \(id) has \(stored) bytes, not \(byteCount)") }
    }
    let ids = Set(entries.map(\.id))
    // A server leaves what it has tried the store with at its start.
    if let orphan = objects.keys.first(where: { !ids.contains($0) && $0 != "selfie-server-check" }) {
      throw Violation("the object \(orphan) has no row, and nothing says that it is to be deleted")
    }
    let photos = Set(entries.filter { $0.kind == .photo }.map(\.id))
    if let doomed = entries.first(where: { $0.kind == .removed && photos.contains($0.id) }) {
      throw Violation("\(doomed.id) is a photo, and about to be deleted")
    }
    try checkSums()
    for server in cluster.servers {
      try Cluster.waitUntil("server \(server.number) has something in incoming/") {
        try server.incoming().isEmpty
      }
    }
  }

  private func checkSums() throws {
    let wrong = try cluster.database.rows(
      """
      SELECT user_id, sums.byte_count, photos.byte_count, sums.photo_count, photos.photo_count FROM photo_bytes AS sums
        FULL JOIN (SELECT user_id, sum(byte_count) AS byte_count, count(*) AS photo_count FROM photos GROUP BY user_id)
          AS photos USING (user_id)
      WHERE (sums.byte_count, sums.photo_count) IS DISTINCT FROM (photos.byte_count, photos.photo_count)
      """)
    guard wrong.isEmpty else { throw Violation("sums of bytes are wrong: \(wrong)") }
  }

  /// Makes everything that is to be swept old, and waits until it is: the servers look when they start.
  func checkSweeps() throws {
    _ = try cluster.database.rows("UPDATE uploads SET started_at = 0; UPDATE removed_photos SET tried_at = 0")
    // One start turns uploads that were left into deletions, and perhaps only the next one runs those.
    for server in cluster.servers {
      try server.stop()
      try cluster.startAll()
    }
    try Cluster.waitUntil("the sweeps leave something behind") {
      try entries().allSatisfy { $0.kind == .photo }
    }
    try check()
  }
}
