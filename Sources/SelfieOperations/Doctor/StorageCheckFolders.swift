import Platform
import SQLite
import SelfieAPI

extension StorageCheck {
  /// Checks that every file among the photos has a row.
  func checkFolders(_ connection: Connection) throws {
    if try !files.canSetAside {
      found(.wrongKind, StorageLayout.lostAndFound, "it is no folder, so nothing is moved there. Move it away.")
    }
    var openToOthers = 0
    let photos = files.layout.photos
    for name in try files.names() where name.text != PhotoFiles.probeName {
      guard let folder = name.text, StorageLayout.isPhotoFolder(folder),
        try FileSystem.status(name, in: photos)?.kind == .folder
      else {
        attempt { try foundOrphan(name, in: StorageLayout.photos) }
        continue
      }
      attempt {
        for file in try files.names(inFolder: folder) {
          attempt {
            try checkFile(file, in: folder, connection)
            openToOthers += try closeToOthers(file, in: "\(photos)/\(folder)")
          }
        }
        openToOthers += try closeToOthers(name, in: photos)
      }
    }
    // One finding for all of them, since after a copy without permissions there are as many as photos.
    guard openToOthers > 0 else { return }
    let isOne = openToOthers == 1
    let names = isOne ? "1 file or folder" : "\(openToOthers) files and folders"
    found(
      .permissions, StorageLayout.photos,
      options.repairs
        ? "\(names) in it \(isOne ? "was" : "were") open to others than the owner; closed now"
        : "\(names) in it \(isOne ? "is" : "are") open to others than the owner. Close with: "
          + "chmod -R go= \(StorageLayout.photos), or --repair.",
      isRepaired: options.repairs)
  }

  private func checkFile(_ file: FileName, in folder: String, _ connection: Connection) throws {
    let path = "\(StorageLayout.photos)/\(folder)"
    guard let name = file.text, Photo.isID(name.utf8), name.hasPrefix(folder) else {
      return try foundOrphan(file, in: path)
    }
    // An upload has a name in `incoming/` until its row is there, and a deleted photo is in `removed_photos` until its
    // file is gone. Checked in this order, nothing that a running server does looks like an orphan.
    if try PhotoStore.exists(randomID: name, on: connection) || files.isIncoming(name) { return }
    if try PhotoStore.exists(randomID: name, on: connection) || PhotoStore.isRemoved(name, on: connection) { return }
    guard try files.status(name) != nil else { return }
    try foundOrphan(file, in: path)
  }

  /// - Parameter folder: as seen from the storage folder.
  private func foundOrphan(_ name: FileName, in folder: String) throws {
    let path = "\(folder)/\(name.printable)"
    if try options.repairs && files.canSetAside {
      let place = try files.setAside(name, in: folder)
      found(.orphanFile, path, "no row of the database knows it; it is moved to \(place)", isRepaired: true)
    } else {
      found(.orphanFile, path, "no row of the database knows it. --repair moves it to \(StorageLayout.lostAndFound).")
    }
  }

  /// Returns 1 if others than the owner may use it, and repairs that if asked to.
  private func closeToOthers(_ name: FileName, in folder: String) throws -> Int {
    guard let status = try FileSystem.status(name, in: folder), status.isOpenToOthers, status.kind != .other else {
      return 0
    }
    if options.repairs { try FileSystem.setPermissions(name, in: folder, status.permissions & 0o700) }
    return 1
  }

  /// Checks `incoming/`, where a server has its uploads and a crash leaves them.
  func checkUploads(_ connection: Connection) throws {
    let uploads = try files.uploads()
    // Asked after reading the names, since a server that started meanwhile may have made the newest of them.
    let isServed = !options.repairs && isServed()
    for upload in uploads {
      guard !isServed || upload.modifiedAt < now - Self.staleAge else {
        counts.uploadsUnderWay += 1
        continue
      }
      found(
        .staleUpload, "\(StorageLayout.incoming)/\(upload.name.printable)",
        options.repairs
          ? "what an upload left behind; it is settled"
          : "what an upload left behind. The next start of the server settles it, or --repair.",
        isRepaired: options.repairs)
    }
    if options.repairs && !uploads.isEmpty {
      try files.recoverUploads { try PhotoStore.exists(randomID: $0, on: connection) }
    }
  }
}
