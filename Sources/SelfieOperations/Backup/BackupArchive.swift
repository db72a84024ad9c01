import Cryptography
import Glibc
import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI

/// Reads a backup. Nothing in it is trusted without a check.
public struct BackupArchive: Sendable {
  private let reader: ArchiveReader
  private let manifest: ArchiveReader.Item
  /// What the backup says about itself.
  public let head: BackupManifest.Head

  /// The size of the file, which its contents cannot exceed.
  public var byteCount: Int64 { reader.byteCount }

  /// Opens a backup, and checks that it is complete. Its contents are not read yet.
  public init(path: String) throws {
    reader = try ArchiveReader(path: path)
    var last: ArchiveReader.Item?
    while let item = try reader.item(at: last?.end ?? 0) {
      guard item.entry.mayFollow(last?.entry) else { throw reader.damage("\(item.entry.name) is out of place") }
      last = item
    }
    guard let last, last.entry == .manifest else { throw reader.damage("it has no manifest") }
    manifest = last
    head = try ManifestReader(reader, last).head
  }

  /// Whether the backup has an entry, as far as its manifest can be believed.
  func contains(_ entry: BackupEntry) throws -> Bool {
    var lines = try ManifestReader(reader, manifest)
    while let line = try lines.next() {
      if line.name == entry.name { return true }
    }
    return false
  }

  /// Reads the whole backup and checks every digest, size and name, and that its database is sound and has exactly the
  /// photos of the backup.
  ///
  /// - Parameters:
  ///   - folder: an empty folder for the database and, if `takesAll`, for everything else. At the end each file is on the
  ///     disk, but not yet the names in `folder` itself. After an error there may be anything in it.
  ///   - progress: called with how many of ``byteCount`` were read. To throw an error ends the work.
  public func extract(
    to folder: String, takesAll: Bool, progress: (_ bytes: Int64) throws -> Void = { _ in }
  ) throws -> BackupManifest.Summary {
    try extract(to: folder, progress: progress) { takesAll || $0 == .database }
  }

  /// The same for the database and some of the other entries.
  func extract(
    to folder: String, progress: (_ bytes: Int64) throws -> Void, takes: (BackupEntry) -> Bool
  ) throws -> BackupManifest.Summary {
    let summary = try readAll(to: folder, takes: takes, progress: progress)
    try checkDatabase("\(folder)/\(BackupEntry.database.name)", summary)
    return summary
  }

  private func readAll(
    to folder: String, takes: (BackupEntry) -> Bool, progress: (Int64) throws -> Void
  ) throws -> BackupManifest.Summary {
    var lines = try ManifestReader(reader, manifest)
    var counted = BackupManifest.Summary()
    var folders = Set<String>()
    var next: Int64 = 0
    while let item = try reader.item(at: next), item.entry != .manifest {
      next = item.end
      let name = item.entry.name
      guard let line = try lines.next(), line.name == name, line.byteCount == item.header.byteCount else {
        throw reader.damage("its manifest does not fit \(name)")
      }
      let copy = try takes(item.entry) ? create(item.entry, in: folder, &folders) : nil
      var digest = SHA256()
      var read: Int64 = 0
      try reader.forEachChunk(of: item) { bytes in
        digest.update(bytes)
        if let copy { try FileSystem.write(bytes[...], to: copy, path: "\(folder)/\(name)") }
        read += Int64(bytes.count)
        try progress(item.offset + read)
      }
      guard Digest.hex(digest.finish()) == line.sha256 else {
        throw reader.damage("\(name) has not the bytes that were backed up")
      }
      if let copy { try FileSystem.sync(copy, path: "\(folder)/\(name)") }
      counted.count(item, line)
    }
    try reader.forEachChunk(of: manifest) { _ in }
    guard try lines.next() == nil, let summary = lines.summary, counted.agrees(with: summary) else {
      throw reader.damage("its manifest does not fit its contents")
    }
    for folder in folders { try FileSystem.syncFolder(folder) }
    try progress(byteCount)
    return summary
  }

  private func create(_ entry: BackupEntry, in folder: String, _ folders: inout Set<String>) throws -> OpenFile {
    if case .photo(let id) = entry {
      let layout = StorageLayout(folder: folder)
      for folder in [layout.photos, layout.photoFolder(of: id)] where folders.insert(folder).inserted {
        _ = try FileSystem.makeFolder(folder)
      }
    }
    let path = "\(folder)/\(entry.name)"
    guard try !FileSystem.exists(path) else { throw reader.damage("it has \(entry.name) twice") }
    return try FileSystem.create(path)
  }

  // MARK: - The database

  /// The database must have exactly the photos of the manifest, in the same order.
  private func checkDatabase(_ path: String, _ summary: BackupManifest.Summary) throws {
    guard try FileSystem.exists(path) else { throw reader.damage("it has no database") }
    let connection = try Connection(path: path, mode: .readOnly)
    defer {
      connection.close()
      Self.removeBeside(database: path)
    }
    do {
      if let problem = try (connection.integrityProblems() + connection.foreignKeyProblems()).first {
        throw reader.damage("its database is not sound: \(problem)")
      }
      guard try Migrations.last(on: connection) ?? "" == head.schema,
        try UserStore.count(on: connection) == summary.users
      else { throw reader.damage("its manifest does not fit its database") }
      try checkRows(connection)
    } catch let error as SQLiteError {
      throw reader.damage("its database cannot be read: \(error)")
    }
  }

  /// Checks that the database of the backup, as `path` has it, has the schema that `migrations` make, or have made before
  /// the last of them, and nothing else that the server would run.
  func checkSchema(ofDatabase path: String, _ migrations: Migrations) throws {
    let connection = try Connection(path: path, mode: .readOnly)
    defer {
      connection.close()
      Self.removeBeside(database: path)
    }
    let differences = try migrations.schemaDifferences(on: connection)
    guard differences.isEmpty else { throw BackupUnusable.foreignSchema(reader.path, differences) }
  }

  /// Removes the files that even a reader makes next to a database with a log.
  private static func removeBeside(database path: String) {
    for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }

  private func checkRows(_ connection: Connection) throws {
    var lines = try ManifestReader(reader, manifest)
    var last: Int64 = 0
    while case let page = try PhotoStore.page(after: last, on: connection), let newest = page.last {
      for photo in page {
        guard let line = try lines.next(), BackupEntry(name: line.name) == .photo(id: photo.randomID) else {
          throw reader.damage("its database has a photo that it has not: row \(photo.id)")
        }
        let isAsUploaded =
          line.byteCount == photo.byteCount && photo.sha256.map { Digest.hex($0) == line.sha256 } ?? true
        guard isAsUploaded != line.isDamaged else {
          throw reader.damage("\(line.name) is not what its database says")
        }
      }
      last = newest.id
    }
    if let line = try lines.next(), case .photo = BackupEntry(name: line.name) {
      throw reader.damage("its database has no row for \(line.name)")
    }
  }
}

extension BackupManifest.Summary {
  fileprivate mutating func count(_ item: ArchiveReader.Item, _ line: BackupManifest.Entry) {
    switch item.entry {
    case .photo:
      photos += 1
      photoBytes += item.header.byteCount
      if line.isDamaged { damaged += 1 }
    case .credentials: hasCredentials = true
    case .database, .manifest: break
    }
  }

  /// Whether the counts are those of this summary.
  fileprivate func agrees(with other: BackupManifest.Summary) -> Bool {
    (photos, photoBytes, damaged) == (other.photos, other.photoBytes, other.damaged)
      && hasCredentials == other.hasCredentials
  }
}
