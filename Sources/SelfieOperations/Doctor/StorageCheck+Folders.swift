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
  ///
  /// - Parameter repairs: whether they are finished or moved to `lost+found/`.
  func checkUploads(_ connection: Connection, repairs: Bool) throws {
    let uploads = try fileNames(in: StorageLayout.incoming).compactMap { name in
      try FileSystem.status(name.path(in: layout.incoming)).map { (name: name, status: $0) }
    }.filter { $0.status.kind != .folder }
    // Asked after reading the names, since a server that started meanwhile may have made the newest of them.
    let isServed = !self.repairs && isServed()
    for upload in uploads {
      guard !isServed || upload.status.modifiedAt < now / 1000 - Self.staleAge else {
        findings.count { $0.uploadsUnderWay += 1 }
        continue
      }
      findings.add(
        .staleUpload, "\(StorageLayout.incoming)/\(upload.name.printable)",
        "an upload left it behind", isRepaired: repairs,
        "; finished, or moved to \(StorageLayout.lostAndFound)",
        orElse: ". The next start of the server finishes or removes it; --repair moves it to "
          + "\(StorageLayout.lostAndFound).")
    }
    guard repairs && !uploads.isEmpty else { return }
    try files.recoverUploads(keepsUnfinished: true) { spelling, ignoresCase in
      try connection.uploadState(spelling, ignoringCase: ignoresCase)
    }
  }

  /// Checks that the file of every deleted photo is gone.
  func checkRemoved(_ connection: Connection) throws {
    let contradictions = try connection.number(PhotoStore.removedWithRow)
    if contradictions > 0 {
      if repairs { try connection.transaction { try connection.forgetRemovedWithRow() } }
      findings.add(
        .invalidRow, StorageLayout.database,
        "\(counted(contradictions, "photo")) noted as deleted, though there are rows of them", isRepaired: repairs,
        "; kept, and no longer noted", orElse: ". They are kept. --repair removes the notes.")
    }
    var last = ""
    while case let page = try connection.all(PhotoStore.removed(after: last), as: String.self), let newest = page.last {
      guard last.utf8.lexicographicallyPrecedes(newest.utf8) else { throw DatabaseError.outOfOrder }
      let present = try page.filter { try files.status($0) != nil }
      if repairs {
        let removal = files.removeDurably(page)
        try connection.transaction { try connection.forgetRemoved(removal.gone) }
        if let failure = removal.failure { findings.fail(failure) }
        for id in present { addRemoved(id, isRepaired: removal.gone.contains(id)) }
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

  /// A file or a folder among the photos.
  struct FoundFile {
    let name: FileName
    /// As seen from the storage folder.
    let folder: String
    /// Whether it belongs to no photo.
    var isStray = false
    /// Whether it is a folder of photos, whose files follow.
    var isPhotoFolder = false
    /// Whether it is a symbolic link through which photos are found.
    var leadsToPhotos = false
  }

  /// Checks that every file among the photos has a row, and that only the owner may read it.
  ///
  /// - Parameter moves: whether those without a row are moved to `lost+found/`.
  func checkFiles(_ connection: Connection, moves: Bool) async throws {
    let lostAndFound = LostAndFound(layout)
    let canMove = try lostAndFound.isUsable
    if !canMove {
      findings.add(
        .wrongKind, StorageLayout.lostAndFound, "it is not a folder, so nothing can be moved there. Move it away.")
    }
    var (seen, openToOthers) = (0, 0)
    try await forEachFile(connection) { file in
      let path = "\(file.folder)/\(file.name.printable)"
      if file.folder != StorageLayout.photos {
        seen += 1
        findings.show(Progress("Comparing with the rows", seen, "file"))
      }
      if file.leadsToPhotos {
        findings.add(
          .wrongKind, path, "photos are found through it, but it is not a folder of its own. Put a folder in its place."
        )
      } else if !file.isStray {
        openToOthers += try closeToOthers(file.name, in: layout.path(file.folder))
      } else if moves && canMove {
        let place = try lostAndFound.take(file.name, from: file.folder)
        findings.add(.orphanFile, path, "belongs to no photo; it is moved to \(place)", isRepaired: true)
      } else {
        findings.add(.orphanFile, path, "belongs to no photo. --repair moves it to \(StorageLayout.lostAndFound).")
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

  /// Calls `body` with everything among the photos, a folder after what is in it. Reports what `body` throws, and goes
  /// on.
  func forEachFile(_ connection: Connection, _ body: (FoundFile) throws -> Void) async throws {
    let names = try fileNames(in: StorageLayout.photos).filter {
      ![PhotoFiles.probeName, PhotoFiles.probeFolderName].contains($0.text)
    }
    let listed = Set(names.compactMap(\.text))
    for name in names {
      await findings.attempt {
        var entry = FoundFile(name: name, folder: StorageLayout.photos, isStray: true)
        guard let folder = name.text, StorageLayout.isPhotoFolder(folder) else { return try body(entry) }
        let path = "\(StorageLayout.photos)/\(folder)"
        // One query for each file would take a third of the time of the whole check.
        let ids = try PhotoIDs(of: spellings(of: folder, listed), in: connection)
        entry.isPhotoFolder = try FileSystem.status(name.path(in: layout.photos))?.kind == .folder
        guard entry.isPhotoFolder else {
          entry.leadsToPhotos = try ids.exact.contains { try files.status($0) != nil }
          entry.isStray = !entry.leadsToPhotos
          return try body(entry)
        }
        for file in try fileNames(in: path) {
          await findings.attempt {
            let isKnown = try isKnown(file, ids, connection)
            try body(FoundFile(name: file, folder: path, isStray: !isKnown))
          }
        }
        entry.isStray = false
        try body(entry)
      }
    }
  }

  /// The names by which rows' paths lead to a folder of photos: its own and, where the file system ignores the case of
  /// names, those of other spellings. Rows have ids of either case, whatever name the folder was made or is shown with.
  ///
  /// - Parameter listed: the names in `photos/`.
  private func spellings(of folder: String, _ listed: Set<String>) throws(FileError) -> [String] {
    let letters = folder.map { [$0.lowercased(), $0.uppercased()] }
    guard letters.count == 2 else { return [folder] }
    let inode = try FileSystem.status("\(layout.photos)/\(folder)/.")?.inode
    var spellings = [folder]
    for first in letters[0] {
      for second in letters[1] where first + second != folder {
        guard let status = try FileSystem.status("\(layout.photos)/\(first)\(second)/.") else { continue }
        if !listed.contains(first + second) || status.inode == inode { spellings.append(first + second) }
      }
    }
    return spellings
  }

  /// The ids of photos that had rows before the names of their folder were read.
  private struct PhotoIDs {
    let exact: Set<String>
    /// In small letters; empty where the case of names counts.
    let folded: Set<String>
    let folders: [String]

    init(of folders: [String], in connection: Connection) throws {
      self.folders = folders
      exact = Set(
        try folders.flatMap { try connection.all(PhotoStore.randomIDs(startingWith: $0), as: String.self) })
      folded = folders.count > 1 ? Set(exact.map { $0.lowercased() }) : []
    }
  }

  private func isKnown(_ file: FileName, _ ids: PhotoIDs, _ connection: Connection) throws -> Bool {
    guard let id = file.text, Photo.isID(id.utf8), ids.folders.contains(where: { id.hasPrefix($0) }) else {
      return false
    }
    if ids.exact.contains(id) || ids.folded.contains(id.lowercased()) { return true }
    // An upload has a name in `incoming/` until its row is there, and a deleted photo is in `removed_photos` until its
    // file is gone. Checked in this order, nothing that a running server does looks like an orphan.
    let (row, removal) = (PhotoStore.photo(randomID: id), PhotoStore.removal(pendingFor: id))
    if try connection.exists(row) || FileSystem.exists(layout.upload(id)) { return true }
    if try connection.exists(row) || connection.exists(removal) { return true }
    return try files.status(id) == nil
  }

  /// Returns 1 if others than the owner may use it, and repairs that if asked to.
  private func closeToOthers(_ name: FileName, in folder: String) throws -> Int {
    let path = name.path(in: folder)
    guard let status = try FileSystem.status(path), permissions.isOpen(status) else { return 0 }
    if repairs { try permissions.close(path, status) }
    return 1
  }
}
