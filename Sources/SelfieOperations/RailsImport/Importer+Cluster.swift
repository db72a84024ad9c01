import Cryptography
import Platform
import SQL
import SelfieAPI

extension Importer {
  /// Imports into a cluster what the plan says: first the photos' objects, then all rows in one transaction. If it is
  /// interrupted, the cluster has either everything or nothing of it, and objects that its servers delete in time.
  ///
  /// - Parameter progress: called with the numbers of photos and bytes that were stored so far.
  package func carryOut(
    _ plan: ImportPlan, into cluster: SharedDatabase, _ objects: PhotoObjects,
    progress: (_ photos: Int, _ bytes: Int64) -> Void
  ) async throws {
    guard !plan.isEmpty else { return }
    try await cluster.requireNoOtherProcess()
    let ids = plan.newPhotos.map(\.photo.randomID)
    if !ids.isEmpty { _ = try await cluster.write(ids.map(PhotoStore.noting), nil) }
    let copied = try await copyPhotos(
      of: plan, by: { [self] photo in try await store(photo, in: objects) }, progress: progress)
    let rows = try await ImportedRows(of: plan, copied, in: cluster)
    _ = try await cluster.write(rows.queries + ids.map(PhotoStore.forgettingUpload), rows.evidence)
  }

  private func store(_ photo: Photo, in objects: PhotoObjects) async throws -> Photo {
    let read = try await pool.run { [bucket] in try bucket.read(photo) }
    guard let sha256 = read.photo.sha256 else { throw InconsistentImport() }
    _ = try await objects.put(photo.randomID, read.file, read.photo.byteCount, sha256)
    return read.photo
  }
}

extension BucketFolder {
  /// The file of a photo, and the photo with the size, type and digest of the file.
  fileprivate func read(_ photo: Photo) throws -> (file: OpenFile, photo: Photo) {
    let original: PlainFile
    do {
      original = try find(photo.randomID)
    } catch {
      throw PhotoGone(why: error.reason)
    }
    let beginning = try FileSystem.read(original.file, at: 0, ContentType.neededBytes, path: original.path)
    var photo = photo
    photo.byteCount = original.byteCount
    photo.contentType = ContentType(beginning: beginning).name
    photo.sha256 = try SHA256.digest(of: original.file, path: original.path)
    return (original.file, photo)
  }
}

/// What an import inserts into a cluster, where one transaction cannot look at the ids that its rows get: they get them
/// before.
private struct ImportedRows {
  private(set) var queries: [Query] = []
  /// Has a row exactly if all were inserted; nil if to insert them again does no harm.
  private(set) var evidence: Query?
  private var userIDs: [Int64: Int64] = [:]

  init(of plan: ImportPlan, _ copied: [String: Photo], in cluster: SharedDatabase) async throws {
    let newUsers = try await Self.numbered(plan.newUsers.map(\.user), \.id, of: "users", in: cluster)
    for (new, user) in zip(plan.newUsers, newUsers) {
      userIDs[new.railsID] = user.id
      queries.append(UserStore.insertionWithID(of: user))
      evidence = UserStore.user(id: user.id)
    }
    for (owner, var token) in plan.newTokens {
      token.userID = try id(of: owner)
      queries.append(TokenStore.insertion(of: token))
      evidence = TokenStore.token(digest: token.digest)
    }
    for (userID, updatedAt) in plan.updates { queries.append(UserStore.settingUpdatedAt(updatedAt, of: userID)) }
    let photos = try plan.newPhotos.map { owner, photo in
      guard var photo = copied[photo.randomID] else { throw InconsistentImport() }
      photo.userID = try id(of: owner)
      return photo
    }
    for photo in try await Self.numbered(photos, \.id, of: "photos", in: cluster) {
      queries.append(PhotoStore.insertionWithID(of: photo))
      evidence = PhotoStore.photo(randomID: photo.randomID)
    }
  }

  private func id(of owner: ImportPlan.Owner) throws -> Int64 {
    switch owner {
    case .existing(let id): return id
    case .new(let railsID):
      guard let id = userIDs[railsID] else { throw InconsistentImport() }
      return id
    }
  }

  /// Gives new ids to the records that have none, behind those that the others keep.
  private static func numbered<Record>(
    _ records: [Record], _ id: WritableKeyPath<Record, Int64>, of table: String, in cluster: SharedDatabase
  ) async throws -> [Record] {
    let last = records.map { $0[keyPath: id] }.max() ?? 0
    try await ApplicationDatabase.shared(cluster).raiseLastRowID(to: last, of: table)
    let count = records.count { $0[keyPath: id] == 0 }
    var new = try await cluster.newRowIDs(of: table, count: count)[...]
    return try records.map { record in
      guard record[keyPath: id] == 0 else { return record }
      guard let next = new.popFirst() else { throw InconsistentImport() }
      var record = record
      record[keyPath: id] = next
      return record
    }
  }
}
