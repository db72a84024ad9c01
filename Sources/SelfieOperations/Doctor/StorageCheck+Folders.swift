import Glibc
import Platform
import SQL
import SQLite
import SelfieAPI

/// Checks the photos' folders against the rows. Names in the folders may be anything. `RowCheck` checks the rows
/// against the files.
extension StorageCheck {
  /// Runs `body` while eight threads read the photos' folders and the status of the files, so that it finds them in memory.
  /// On a virtual machine's disk, one request at a time took three times as long.
  func whileReadingAhead(_ body: () async -> Void) async {
    let folders = ((try? FileSystem.names(in: layout.photos)) ?? []).filter(StorageLayout.isPhotoFolder)
    let pool = WorkerPool(name: "read-ahead", niceness: 19, threads: 8, waiting: folders.count)
    let isOver = Monitor(false)
    for path in folders.map({ "\(layout.photos)/\($0)" }) {
      _ = pool.submit {
        guard !isOver.withLock({ $0 }), (try? FileSystem.status(path))?.kind == .folder else { return }
        for name in (try? FileSystem.fileNames(in: path)) ?? [] where !isOver.withLock({ $0 }) {
          _ = try? FileSystem.status(name.path(in: path))
        }
      }
    }
    await body()
    isOver.withLock { $0 = true }
    pool.shutDown()
  }

  // MARK: - Uploads and deletions

  /// How old an upload must be, in seconds, to be stale while a server runs. No upload lasts that long: its client
  /// would have to send less than a kilobyte a second.
  private static let staleAge: Int64 = 86_400

  /// Checks `incoming/`, where a server has its uploads and a crash leaves them.
  func checkUploads(_ connection: Connection) throws {
    let uploads = try fileNames(in: StorageLayout.incoming).compactMap { name in
      try FileSystem.status(name.path(in: layout.incoming)).map { (name: name, status: $0) }
    }.filter { $0.status.kind != .folder }
    // Asked after reading the names, since a server that started meanwhile may have made the newest of them.
    let isServed = !repairs && isServed()
    for upload in uploads {
      guard !isServed || upload.status.modifiedAt < now / 1000 - Self.staleAge else {
        findings.count { $0.uploadsUnderWay += 1 }
        continue
      }
      findings.add(
        .staleUpload, "\(StorageLayout.incoming)/\(upload.name.printable)",
        "an upload left it behind", isRepaired: repairs, "; finished now",
        orElse: ". The next start of the server finishes it, as does --repair.")
    }
    if repairs && !uploads.isEmpty {
      try files.recoverUploads { try connection.exists(PhotoStore.photo(randomID: $0)) }
    }
  }

  /// Checks that the file of every deleted photo is gone.
  func checkRemoved(_ connection: Connection) throws {
    var last = ""
    while case let page = try connection.all(PhotoStore.removed(after: last), as: String.self), let newest = page.last {
      let present = try page.filter { try files.status($0) != nil }
      if repairs {
        let (gone, failure) = files.removeDurably(page)
        try connection.transaction { try connection.forgetRemoved(gone) }
        if let failure { findings.fail(failure) }
        for id in present { addRemoved(id, isRepaired: gone.contains(id)) }
      } else {
        // A server removes the file right after the row, so it gets a moment to do that.
        if !present.isEmpty && isServed() { sleep(recheckDelay) }
        for id in present where try files.status(id) != nil && connection.exists(PhotoStore.removal(pendingFor: id)) {
          addRemoved(id, isRepaired: false)
        }
      }
      last = newest
    }
  }

  private func addRemoved(_ id: String, isRepaired: Bool) {
    findings.add(
      .removalPending, StorageLayout.photo(id), "the photo is deleted, but its file was left behind",
      isRepaired: isRepaired, "; removed now",
      orElse: ". A running server tries to remove it every ten minutes, as does --repair.")
  }

  // MARK: - Files without rows

  /// The names in a folder of the storage that count.
  private func fileNames(in folder: String) throws(FileError) -> [FileName] {
    try FileSystem.fileNames(in: layout.path(folder)).filter { $0.text.map(StorageLayout.isNegligible) != true }
  }

  /// Checks that every file among the photos has a row, and that only the owner may read it.
  func checkFiles(_ connection: Connection) async throws {
    if try !canSetAside {
      findings.add(
        .wrongKind, StorageLayout.lostAndFound, "it is not a folder, so nothing can be moved there. Move it away.")
    }
    var (seen, openToOthers) = (0, 0)
    for name in try fileNames(in: StorageLayout.photos) where name.text != PhotoFiles.probeName {
      guard let folder = name.text, StorageLayout.isPhotoFolder(folder),
        try FileSystem.status(name.path(in: layout.photos))?.kind == .folder
      else {
        await findings.attempt { try addOrphan(name, in: StorageLayout.photos) }
        continue
      }
      await findings.attempt {
        let path = "\(StorageLayout.photos)/\(folder)"
        // One query for each file would take a third of the time of the whole check.
        let known = Set(try connection.all(PhotoStore.randomIDs(startingWith: folder), as: String.self))
        for file in try fileNames(in: path) {
          seen += 1
          findings.show(Progress("Comparing with the rows", seen, "file"))
          await findings.attempt {
            if try !isKnown(file, in: folder, known, connection) { try addOrphan(file, in: path) }
            openToOthers += try closeToOthers(file, in: layout.path(path))
          }
        }
        openToOthers += try closeToOthers(name, in: layout.photos)
      }
    }
    // One finding for all of them, since after a copy without permissions there are as many as photos.
    guard openToOthers > 0 else { return }
    let names = openToOthers == 1 ? "1 file or folder" : "\(openToOthers) files and folders"
    // Restricted before, unless the file system ignores that.
    let isRepaired = try repairs && FileSystem.status(layout.photos + "/.").map(permissions.isOpen) == false
    findings.add(
      .permissions, StorageLayout.photos,
      "\(names) in it that other users can access", isRepaired: isRepaired, "; restricted now",
      orElse: repairs ? ". " + StoragePermissions.ignored(layout.photos) : ". --repair restricts them.")
  }

  /// - Parameter ids: of photos of this folder that had rows before its names were read.
  private func isKnown(
    _ file: FileName, in folder: String, _ ids: Set<String>, _ connection: Connection
  ) throws -> Bool {
    guard let id = file.text, Photo.isID(id.utf8), id.hasPrefix(folder) else { return false }
    if ids.contains(id) { return true }
    // An upload has a name in `incoming/` until its row is there, and a deleted photo is in `removed_photos` until its
    // file is gone. Checked in this order, nothing that a running server does looks like an orphan.
    let (row, removal) = (PhotoStore.photo(randomID: id), PhotoStore.removal(pendingFor: id))
    if try connection.exists(row) || FileSystem.exists(layout.upload(id)) { return true }
    if try connection.exists(row) || connection.exists(removal) { return true }
    return try files.status(id) == nil
  }

  /// - Parameter folder: as seen from the storage folder.
  private func addOrphan(_ name: FileName, in folder: String) throws {
    let path = "\(folder)/\(name.printable)"
    if try repairs && canSetAside {
      let place = try setAside(name, in: folder)
      findings.add(.orphanFile, path, "belongs to no photo; it is moved to \(place)", isRepaired: true)
    } else {
      findings.add(.orphanFile, path, "belongs to no photo. --repair moves it to \(StorageLayout.lostAndFound).")
    }
  }

  /// False if something other than a folder has the name of `lost+found/`, such as a symbolic link, which may lead
  /// anywhere.
  private var canSetAside: Bool {
    get throws(FileError) { try FileSystem.status(layout.lostAndFound).map { $0.kind == .folder } ?? true }
  }

  /// Moves a file to `lost+found/`, and returns its new place as seen from the storage folder. A file system's own folder of
  /// this name is root's, so that another is taken.
  ///
  /// - Parameter folder: as seen from the storage folder.
  private func setAside(_ name: FileName, in folder: String) throws(FileError) -> String {
    let isForeign = try FileSystem.exists(layout.lostAndFound) && access(layout.lostAndFound, R_OK | W_OK | X_OK) != 0
    let place = isForeign ? "\(StorageLayout.lostAndFound).selfie" : StorageLayout.lostAndFound
    let target = layout.path(place)
    if try FileSystem.makeFolder(target) { try FileSystem.syncFolder(layout.folder) }
    var newName = name
    var number = 1
    while try FileSystem.status(newName.path(in: target)) != nil {
      number += 1
      newName = name.numbered(number)
    }
    try FileSystem.rename(name.path(in: layout.path(folder)), to: newName.path(in: target))
    for folder in [target, layout.path(folder)] { try FileSystem.syncFolder(folder) }
    return "\(place)/\(newName.printable)"
  }

  /// Returns 1 if others than the owner may use it, and repairs that if asked to.
  private func closeToOthers(_ name: FileName, in folder: String) throws -> Int {
    let path = name.path(in: folder)
    guard let status = try FileSystem.status(path), permissions.isOpen(status) else { return 0 }
    if repairs { try permissions.close(path, status) }
    return 1
  }
}
