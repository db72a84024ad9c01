import Cryptography
import HTTPMessages
import SQLite
import Platform
import SelfieAPI

/// Brings over what the Rails original has: users with their passwords and tokens, and photos with their addresses, so
/// that apps stay signed in and find their photos.
///
/// Meant for storage that nobody else uses meanwhile.
public struct Importer: Sendable {
  private let dump: RailsDump
  private let bucket: BucketFolder
  private let storage: String
  private let database: Database
  private let lane: WorkerPool
  private let maxPhotoBytes: Int
  private let now: Int64

  /// Photos that are copied at the same time, so that the disk can sync them together.
  private static let copiesAtOnce = 8

  /// - Parameters:
  ///   - photos: the folder of the photos' files, each named by its random_id.
  ///   - storage: the folder of everything that is kept.
  ///   - database: the one in `storage`; a copy of it is good enough to plan.
  ///   - lane: where the disk is waited for.
  ///   - now: unix milliseconds.
  public init(
    dump: RailsDump, photos: String, storage: String, database: Database, lane: WorkerPool, maxPhotoBytes: Int,
    now: Int64
  ) {
    self.dump = dump
    bucket = BucketFolder(folder: photos)
    self.storage = storage
    self.database = database
    self.lane = lane
    self.maxPhotoBytes = maxPhotoBytes
    self.now = now
  }

  /// What there is to do. Changes nothing.
  public func plan() async throws -> ImportPlan {
    let importer = self
    return try await lane.run {
      try importer.database.read { connection in
        try connection.snapshot {
          var planner = ImportPlanner(
            dump: importer.dump, bucket: importer.bucket, files: PhotoFiles(storage: importer.storage),
            connection: connection, maxPhotoBytes: importer.maxPhotoBytes, now: importer.now)
          return try planner.make()
        }
      }
    }
  }

  /// Adds what the plan takes: first the photos' files, then all rows in one transaction. Whatever interrupts it, the
  /// storage has either all of it or, at its next start, nothing.
  ///
  /// - Parameters:
  ///   - photos: of the same storage.
  ///   - progress: is told how many photos and bytes are copied so far.
  public func carryOut(
    _ plan: ImportPlan, into photos: PhotoLibrary, progress: (_ photos: Int, _ bytes: Int64) -> Void
  ) async throws {
    guard !plan.isEmpty else { return }
    let free = try FileSystem.freeBytes(at: storage)
    guard plan.byteCount <= free else { throw NoRoomForPhotos(needed: plan.byteCount, free: free) }
    try await photos.purgeDeleted()
    let files = photos.files
    let copied = try await copyFiles(of: plan, into: files, progress: progress)
    try await database.write { try Self.insert(plan, copied, on: $0) }
    try await lane.run {
      // What fails here is done at the next start.
      for id in copied.keys { try? files.removeIncoming(id) }
    }
  }

  /// - Returns: the photos, by random_id, with what their files say of them.
  private func copyFiles(
    of plan: ImportPlan, into files: PhotoFiles, progress: (_ photos: Int, _ bytes: Int64) -> Void
  ) async throws -> [String: Photo] {
    var rest = plan.newPhotos[...]
    var copied: [String: Photo] = [:]
    var bytes: Int64 = 0
    try await withThrowingTaskGroup(of: Photo.self) { group in
      func addNext() {
        guard let photo = rest.popFirst()?.photo else { return }
        group.addTask { [lane, bucket] in try await lane.run { try files.placeCopy(of: photo, from: bucket) } }
      }
      for _ in 0..<Self.copiesAtOnce { addNext() }
      while let photo = try await group.next() {
        copied[photo.randomID] = photo
        bytes &+= photo.byteCount
        progress(copied.count, bytes)
        addNext()
      }
    }
    return copied
  }

  private static func insert(_ plan: ImportPlan, _ copied: [String: Photo], on connection: Connection) throws {
    var ids: [Int64: Int64] = [:]
    // Those that keep their ids come first, so that none of these is given away.
    for new in plan.newUsers.filter({ $0.user.id != 0 }) + plan.newUsers.filter({ $0.user.id == 0 }) {
      ids[new.railsID] = try UserStore.insert(new.user, on: connection)
    }
    func id(of owner: ImportPlan.Owner) throws -> Int64 {
      switch owner {
      case .existing(let id): return id
      case .new(let railsID):
        guard let id = ids[railsID] else { throw InconsistentImport() }
        return id
      }
    }
    for (owner, var token) in plan.newTokens {
      token.userID = try id(of: owner)
      try TokenStore.insert(token, on: connection)
    }
    for (userID, updatedAt) in plan.updates {
      try UserStore.setUpdatedAt(updatedAt, of: userID, on: connection)
    }
    let photos = try plan.newPhotos.map { owner, photo in
      guard var photo = copied[photo.randomID] else { throw InconsistentImport() }
      photo.userID = try id(of: owner)
      return photo
    }
    try PhotoStore.insert(photos, on: connection)
  }
}

extension ImportPlan {
  /// Whether there is nothing to write.
  var isEmpty: Bool { newUsers.isEmpty && newTokens.isEmpty && newPhotos.isEmpty && updates.isEmpty }
}

extension PhotoFiles {
  /// Puts a copy of a file into the place of a photo that has no row yet. Its row may be written then.
  ///
  /// - Returns: the photo, with what the file says of it.
  func placeCopy(of photo: Photo, from bucket: BucketFolder) throws -> Photo {
    let id = photo.randomID
    let original: PlainFile
    do {
      original = try bucket.find(id)
    } catch {
      throw PhotoGone(why: error.reason)
    }
    // What lies there without a row, nobody can have asked for.
    try discard(id)
    var partial: Partial?
    var digest = SHA256()
    var beginning: [UInt8] = []
    var byteCount: Int64 = 0
    try FileSystem.forEachChunk(of: original.file, path: original.path) { bytes in
      partial = try write([bytes[...]], of: id, to: partial)
      digest.update(bytes)
      if byteCount == 0 { beginning = Array(bytes.prefix(ContentType.neededBytes)) }
      byteCount += Int64(bytes.count)
    }
    guard let partial else { throw PhotoGone(why: "\(original.path) is empty") }
    try publish(partial, as: id)
    var photo = photo
    photo.byteCount = byteCount
    photo.contentType = ContentType(beginning: beginning).name
    photo.sha256 = digest.finish()
    return photo
  }
}

/// The disk is too small for the photos.
struct NoRoomForPhotos: Error, CustomStringConvertible {
  let needed: Int64
  let free: Int64

  var description: String {
    "the photos have \(needed) bytes, and the disk has room for \(free). Nothing was imported."
  }
}

/// A photo's file was there a moment ago.
struct PhotoGone: Error, CustomStringConvertible {
  let why: String

  var description: String { "\(why) any more: somebody else is changing the folder. Nothing was imported." }
}

/// The plan speaks of a user or a file that it has not. That would be a fault of the program.
struct InconsistentImport: Error {}
