import Cryptography
import Glibc
import Platform
import SQL
import SQLite
import SelfieAPI

/// Reads a backup. Nothing in it is trusted without a check. `ArchiveReader` reads its entries, and `BackupManifest`
/// its manifest.
package struct BackupArchive: Sendable {
  private let reader: ArchiveReader
  private let manifest: ArchiveReader.Item
  let skip: (@Sendable (_ name: String) -> Void)?
  /// The backup's description of itself.
  package let head: BackupManifest.Head

  /// The size of the file, which its contents cannot exceed.
  package var byteCount: Int64 { reader.byteCount }

  /// Opens a backup, and reads how it describes itself. Its contents are not read yet.
  ///
  /// - Parameter skip: receives each entry that is left out because it is damaged. Only the manifest and the database must
  ///   be intact. If nil, all of it must.
  package init(path: String, skip: (@Sendable (_ name: String) -> Void)? = nil) throws {
    reader = try ArchiveReader(path: path, skipsDamaged: skip != nil)
    self.skip = skip
    manifest = try reader.manifest()
    head = try BackupManifest(reader, manifest).head
  }

  /// Reads the whole backup and checks every digest, size and name, and that its database is sound and has exactly the
  /// photos of the backup. An archive that skips what is damaged reads only what is taken.
  ///
  /// - Parameters:
  ///   - folder: an empty folder for what is taken. At the end each file is on the disk, but not yet the names in `folder`
  ///     itself. After an error there may be anything in it.
  ///   - progress: receives how many of ``byteCount`` were read. An error that it throws ends the work.
  ///   - migrations: the database must have the schema that they make, or have made before the last of them, and nothing
  ///     else that the server would run. Nil allows any schema.
  ///   - takes: whether an entry is extracted; the database always is.
  func extract(
    to folder: String, migrations: Migrations?, progress: (_ bytes: Int64) throws -> Void,
    takes: (BackupEntry) -> Bool
  ) throws -> BackupManifest.Summary {
    var lines = try BackupManifest(reader, manifest)
    var counted = BackupManifest.Summary()
    var folders = Set<String>()
    var lost: [String] = []
    var last: ArchiveReader.Item?
    while let line = try lines.next() {
      guard let item = try reader.item(of: line, at: last?.end ?? 0), item.entry.mayFollow(last?.entry) else {
        throw reader.damage("its manifest does not match its contents at \(line.name)")
      }
      last = item
      let (isTaken, path) = (item.entry == .database || takes(item.entry), "\(folder)/\(item.entry.name)")
      guard isTaken || !reader.skipsDamaged else { continue }
      let copy = try isTaken ? create(item.entry, in: folder, &folders) : nil
      if try digest(of: item, copy, path, progress) == line.sha256 {
        counted.count(item.entry, line)
      } else {
        guard let skip, item.entry != .database else {
          throw reader.damage("\(line.name) differs from what was backed up")
        }
        try FileSystem.remove(path)
        if case .photo(let id) = item.entry { lost.append(id) }
        skip(line.name)
      }
    }
    if !reader.skipsDamaged { try reader.checkEnd(of: manifest) }
    // The others cannot be counted in an archive.
    let summary = lines.summary ?? BackupManifest.Summary()
    (counted.users, counted.deletedMeanwhile, counted.missing) =
      (summary.users, summary.deletedMeanwhile, summary.missing)
    guard reader.skipsDamaged || counted == summary && last?.end == manifest.offset - Int64(TarHeader.blockBytes) else {
      throw reader.damage("its manifest does not match its contents")
    }
    for folder in folders { try FileSystem.syncFolder(folder) }
    try progress(byteCount)
    try checkDatabase(StorageLayout(folder: folder).database, summary, migrations, lost)
    return counted
  }

  /// Reads and checks the whole backup, as ``extract(to:migrations:progress:takes:)`` does.
  ///
  /// - Parameter folder: an empty folder, for the database.
  package func verify(
    in folder: String, progress: (_ bytes: Int64) throws -> Void = { _ in }
  ) throws -> BackupManifest.Summary {
    try extract(to: folder, migrations: nil, progress: progress) { _ in false }
  }

  /// Reads the contents of an entry, and copies them to a file if there is one. Nil if they cannot be read, and that may be
  /// skipped.
  private func digest(
    of item: ArchiveReader.Item, _ copy: OpenFile?, _ path: String, _ progress: (Int64) throws -> Void
  ) throws -> String? {
    let digest = SHA256()
    var read: Int64 = 0
    do {
      let next = reader.chunks(of: item)
      while case let bytes = try next(), !bytes.isEmpty {
        digest.update(bytes)
        if let copy { try FileSystem.write(bytes[...], to: copy, path: path) }
        read += Int64(bytes.count)
        try progress(item.offset + read)
      }
    } catch let error as FileError where reader.skipsDamaged && error.path == reader.path {
      return nil
    }
    if !reader.skipsDamaged { try reader.checkEnd(of: item) }
    if let copy { try FileSystem.sync(copy, path: path) }
    return Digest.hex(digest.finish())
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

  /// - Parameter lost: photos without files, whose rows are deleted.
  private func checkDatabase(
    _ path: String, _ summary: BackupManifest.Summary, _ migrations: Migrations?, _ lost: [String]
  ) throws {
    guard try FileSystem.exists(path) else { throw reader.damage("it has no database") }
    let connection = try Connection(path: path, mode: lost.isEmpty ? .immutable : .exclusive)
    defer { connection.close() }
    do {
      if let problem = try (connection.integrityProblems() + connection.foreignKeyProblems()).first {
        throw reader.damage("its database is damaged: \(problem)")
      }
      let schema = try Migrations.last(on: connection) ?? ""
      guard schema == head.schema, try connection.number(UserStore.count) == summary.users else {
        throw reader.damage("its manifest does not match its database")
      }
      try checkRows(connection)
      let differences = try migrations?.schemaDifferences(on: connection) ?? []
      guard differences.isEmpty else {
        throw OperationError(
          """
          \(reader.path) has a database that others than this server have changed: \
          \(differences.prefix(5).joined(separator: "; ")). Use another backup.
          """)
      }
      if !lost.isEmpty { try connection.transaction { try connection.removePhotos(lost) } }
    } catch let error as SQLiteError {
      throw reader.damage("its database cannot be read: \(error)")
    }
  }

  /// The database must have exactly the photos of the manifest, in the same order.
  private func checkRows(_ connection: Connection) throws {
    var lines = try BackupManifest(reader, manifest)
    var last: Int64 = 0
    while case let page = try connection.all(PhotoStore.page(after: last), as: Photo.self), let newest = page.last {
      for photo in page {
        guard let line = try lines.next(), BackupEntry(name: line.name) == .photo(id: photo.randomID) else {
          throw reader.damage("a photo of its database is missing: row \(photo.id)")
        }
        let isAsUploaded =
          line.size == photo.byteCount && photo.sha256.map { Digest.hex($0) == line.sha256 } ?? true
        guard isAsUploaded != (line.damaged == true) else {
          throw reader.damage("\(line.name) differs from what its database says")
        }
      }
      last = newest.id
    }
    if let line = try lines.next(), case .photo = BackupEntry(name: line.name) {
      throw reader.damage("its database has no row for \(line.name)")
    }
  }
}
