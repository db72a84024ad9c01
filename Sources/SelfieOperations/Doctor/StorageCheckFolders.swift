import Platform
import SQLite
import SelfieAPI

extension StorageCheck {
  /// Every file among the photos: does a row know it?
  func checkFolders(_ connection: Connection) throws {
    var openToOthers = 0
    for name in try files.names() where name != PhotoFiles.probeName {
      guard StorageLayout.isPhotoFolder(name), try files.status(inPhotos: name)?.kind == .folder else {
        try foundOrphan("\(StorageLayout.photos)/\(name)")
        continue
      }
      attempt {
        for file in try files.names(inFolder: name) {
          try checkFile(file, in: name, connection)
          openToOthers += try closeToOthers(inPhotos: "\(name)/\(file)")
        }
        openToOthers += try closeToOthers(inPhotos: name)
      }
    }
    // One for all of them: after a copy that lost the permissions there are as many as photos.
    guard openToOthers > 0 else { return }
    found(
      .permissions, StorageLayout.photos,
      options.repairs
        ? "\(openToOthers) files and folders in it were open to others than their owner; they are closed"
        : "\(openToOthers) files and folders in it are open to others than their owner. Close them with: "
          + "chmod -R go= \(StorageLayout.photos), or --repair.",
      isRepaired: options.repairs)
  }

  private func checkFile(_ name: String, in folder: String, _ connection: Connection) throws {
    let path = "\(StorageLayout.photos)/\(folder)/\(name)"
    guard Photo.isID(name.utf8), name.hasPrefix(folder) else { return try foundOrphan(path) }
    // An upload under way has a name in incoming until its row is there, and a deleted photo is among the removed
    // ones until its file is gone: in this order no instant of a running server looks like an orphan.
    if try PhotoStore.exists(randomID: name, on: connection) || files.isIncoming(name) { return }
    if try PhotoStore.exists(randomID: name, on: connection) || PhotoStore.isRemoved(name, on: connection) { return }
    guard try files.status(name) != nil else { return }
    try foundOrphan(path)
  }

  private func foundOrphan(_ path: String) throws {
    if options.repairs {
      let place = try files.setAside(path)
      found(.orphanFile, path, "no row of the database knows it; it is moved to \(place)", isRepaired: true)
    } else {
      found(.orphanFile, path, "no row of the database knows it. --repair moves it to \(StorageLayout.lostAndFound).")
    }
  }

  /// One if there is something to close, which a repair does.
  private func closeToOthers(inPhotos name: String) throws -> Int {
    guard let status = try files.status(inPhotos: name), status.isOpenToOthers, status.kind != .other else { return 0 }
    if options.repairs { try FileSystem.setPermissions("\(files.layout.photos)/\(name)", status.permissions & 0o700) }
    return 1
  }

  /// What is in `incoming/`: beside a server uploads under way, without one what a crash has left.
  func checkUploads(_ connection: Connection) throws {
    let uploads = try files.uploads()
    // After the names: a server that has started meanwhile may have made the youngest of them.
    let isServed = !options.repairs && isServed()
    for upload in uploads {
      guard !isServed || upload.modifiedAt < now - Self.staleAge else {
        counts.uploadsUnderWay += 1
        continue
      }
      found(
        .staleUpload, "\(StorageLayout.incoming)/\(upload.name)",
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
