import Cryptography
import Glibc
import HTTPMessages
package import Platform

/// The photos' bytes: `photos/ab/<random_id>`, and uploads under way in `incoming/`. Every function waits for the disk.
/// `FileBytes` calls them in the right order.
///
/// A file has a name in `incoming/` from its first byte until its row is known to be committed, and in between gets a
/// second name in `photos/`. So after a crash at any instant, a file that may have no row is found among the few names in
/// `incoming/`, and no start has to search all of `photos/`.
package struct PhotoFiles: Sendable {
  package let layout: StorageLayout
  /// The folders whose names are known to be on the disk.
  ///
  /// A folder that exists may still be lost in a power failure: the upload that made it may not have synced its name yet,
  /// or may have failed to. So an upload into a folder that is not in this set syncs the folder's name too.
  private let durableFolders = Monitor<Set<String>>([])

  /// Whether files and folders are synced.
  package let isDurable: Bool
  /// Photos may not use it.
  let reserve: DiskReserve?
  /// False if there are uploads only, on their way to an object store.
  private let keepsPhotos: Bool
  /// For the files of clients.
  private let descriptors = DescriptorBudget.ofThisProcess

  /// - Parameters:
  ///   - storage: the folder of everything that is stored.
  ///   - isDurable: false for photos that need not survive a power failure.
  ///   - keepsPhotos: false if only `incoming/` is used.
  package init(storage: String, isDurable: Bool = true, reserve: DiskReserve? = nil, keepsPhotos: Bool = true) {
    layout = StorageLayout(folder: storage)
    self.isDurable = isDurable
    self.reserve = reserve
    self.keepsPhotos = keepsPhotos
  }

  /// Makes the folders that are missing.
  ///
  /// - Returns: whether the file system ignores the case of names; false if the disk is too full to find out.
  /// - Throws: `FileError` if they cannot be made, `ConfigurationError` if a file cannot have a name in each. File systems
  ///   without hard links (FAT, some network ones) have neither permissions nor a journal either, so an order of steps
  ///   without links could not keep the promise there.
  @discardableResult
  package func prepare() throws -> Bool {
    try makeFolders()
    guard keepsPhotos else { return false }
    // Saves the first upload into each folder the sync of the folder's name.
    let names = try FileSystem.names(in: layout.photos)
    try syncFolder(layout.photos)
    durableFolders.withLock { $0.formUnion(names.map { "\(layout.photos)/\($0)" }) }
    let (name, link) = (layout.upload(Self.probeName), "\(layout.photos)/\(Self.probeName)")
    for path in [name, link] { try FileSystem.remove(path) }
    defer { unlink(name) }
    do throws(FileError) {
      _ = try FileSystem.create(name)
      try FileSystem.link(name, to: link)
    } catch {
      // Photos that are there already can be served.
      if error.isDiskFull { return false }
      guard error.call == "link" else { throw error }
      // A file needs two names to survive a crash.
      throw ConfigurationError(
        """
        \(layout.incoming) and \(layout.photos) must be folders of one file system that has hard links, such as ext4, \
        XFS, btrfs or ZFS (\(error)). Move them there, or set another STORAGE_DIR.
        """)
    }
    let ignoresCase = try FileSystem.exists("\(layout.photos)/\(Self.probeName.uppercased())")
    try FileSystem.remove(link)
    return ignoresCase
  }

  private func makeFolders() throws(FileError) {
    for folder in (keepsPhotos ? [layout.photos] : []) + [layout.incoming] where try makeFolder(folder) {
      try syncName(of: folder, in: layout.folder)
    }
  }

  /// Makes a folder if it is missing; true if its name still has to be synced.
  private func makeFolder(_ path: String) throws(FileError) -> Bool {
    let isNew = try FileSystem.makeFolder(path)
    return durableFolders.withLock { folders in
      if isNew { folders.remove(path) }
      return !folders.contains(path)
    }
  }

  private func syncName(of path: String, in folder: String) throws(FileError) {
    try syncFolder(folder)
    durableFolders.withLock { _ = $0.insert(path) }
  }

  /// Makes the folder of a photo's file, and its parents.
  package func makeFolder(of id: String) throws(FileError) {
    let folder = folder(of: id)
    _ = try remakingFolders { () throws(FileError) in try makeFolder(folder) }
  }

  /// Returns when the names of these photos and of their folders are on the disk.
  package func syncFolders(of ids: [String]) throws(FileError) {
    for folder in Set(ids.map(folder)) { try syncPhotoFolder(folder) }
  }

  private func syncPhotoFolder(_ folder: String) throws(FileError) {
    try syncFolder(folder)
    if !durableFolders.withLock({ $0.contains(folder) }) { try syncName(of: folder, in: layout.photos) }
  }

  /// Runs `attempt`. If it fails because a folder was deleted, makes the folders again and retries once: uploads need
  /// nothing that was in them.
  private func remakingFolders<Result>(_ attempt: () throws(FileError) -> Result) throws(FileError) -> Result {
    do throws(FileError) {
      return try attempt()
    } catch {
      guard error.number == ENOENT else { throw error }
      try makeFolders()
      return try attempt()
    }
  }

  /// ``prepare()`` and ``probe()`` try the steps of an upload with this file. After a crash, the next start removes it.
  package static let probeName = ".link"
  /// ``probe()`` makes it, as an upload makes a folder.
  package static let probeFolderName = ".probe"
  /// A block of most file systems, so that the file system has to allocate one.
  private static let probeBytes = [UInt8](repeating: 0, count: 4096)

  /// Performs the steps of an upload of a small file into a new folder, and removes both. So it needs two inodes, as an
  /// upload may. The caller must not run two probes at once.
  func probe() throws(FileError) {
    try reserve?.check()
    let (name, folder) = (layout.upload(Self.probeName), "\(layout.photos)/\(Self.probeFolderName)")
    let link = "\(folder)/\(Self.probeName)"
    try FileSystem.remove(name)
    if keepsPhotos { try FileSystem.removeTree(folder) }
    defer {
      unlink(name)
      if keepsPhotos { try? FileSystem.removeTree(folder) }
    }
    let file = try remakingFolders { () throws(FileError) in try FileSystem.create(name) }
    try FileSystem.write(Self.probeBytes[...], to: file, path: name)
    guard keepsPhotos else { return }
    try remakingFolders { () throws(FileError) in _ = try FileSystem.makeFolder(folder) }
    try FileSystem.link(name, to: link)
    if isDurable { try FileSystem.sync(file, path: name) }
    for folder in [folder, layout.photos] { try syncFolder(folder) }
  }

  // MARK: - Uploads

  /// The file of an upload, as far as it has come.
  package struct Partial: Sendable {
    fileprivate let file: OpenFile
    /// Of what is written. Nil where photos are kept: no upload waits for a digest there.
    fileprivate let digest: Monitor<SHA256>?
  }

  /// Appends to the file of an upload; if `partial` is nil, creates it. On an error nothing of the upload remains, or the
  /// next start removes it.
  package func write(_ chunks: [ArraySlice<UInt8>], of id: String, to partial: Partial?) throws(FileError) -> Partial {
    let path = layout.upload(id)
    let partial =
      if let partial { partial } else {
        Partial(
          file: try createForClient(id),
          digest: keepsPhotos ? nil : Monitor(SHA256()))
      }
    do throws(FileError) {
      try reserve?.check()
      for bytes in chunks {
        try FileSystem.write(bytes, to: partial.file, path: path)
        partial.digest?.withLock { $0.update(bytes) }
      }
    } catch {
      try? removeIncoming(id)
      throw error
    }
    return partial
  }

  private func createForClient(_ id: String) throws(FileError) -> OpenFile {
    let path = layout.upload(id)
    let file = try descriptors.open(mayWait: true) { () throws(FileError) in
      try remakingFolders { () throws(FileError) in try FileSystem.create(path) }
    }
    do throws(FileError) {
      return try descriptors.keep(file, path: path, mayWait: true)
    } catch {
      try? removeIncoming(id)
      throw error
    }
  }

  /// A whole file of an upload, to read from.
  package struct Finished: Sendable {
    package let file: OpenFile
    /// Nil where photos are kept.
    package let sha256: [UInt8]?
  }

  package func finish(_ partial: Partial, of id: String) throws(FileError) -> Finished {
    let path = layout.upload(id)
    guard let file = try FileSystem.open(path) else { throw FileError("open", path, number: ENOENT) }
    return Finished(file: file, sha256: partial.digest?.withLock { $0.finish() })
  }

  /// Links a whole file to its place in `photos/`, and returns when its bytes and names are on the disk. The caller may
  /// insert the row now, and must call ``removeIncoming(_:)`` or ``discard(_:)`` afterwards. On an error nothing of the
  /// upload remains, or the next start removes it.
  package func publish(_ partial: Partial, as id: String) throws(FileError) {
    do throws(FileError) {
      // Before the file's sync, so that one commit of the file system's journal takes the bytes and both names.
      do throws(FileError) {
        try FileSystem.link(layout.upload(id), to: path(of: id))
      } catch  where error.number == ENOENT {
        try makeFolder(of: id)
        try FileSystem.link(layout.upload(id), to: path(of: id))
      }
    } catch {
      // Only this name: a file that is in `photos/` already belongs to another photo.
      try? removeIncoming(id)
      throw error
    }
    do throws(FileError) {
      if isDurable { try FileSystem.sync(partial.file, path: path(of: id)) }
      try syncPhotoFolder(folder(of: id))
    } catch {
      try? discard(id)
      throw error
    }
  }

  /// Removes the name in `incoming/`: the photo's row is committed, or its upload has ended before the file was linked.
  package func removeIncoming(_ id: String) throws(FileError) {
    try FileSystem.remove(layout.upload(id))
  }

  /// Removes the file of a photo that has no row and will have none.
  package func discard(_ id: String) throws(FileError) {
    // The name in `incoming/` goes last: it lets the next start find the file if the other name cannot be removed.
    if try FileSystem.remove(path(of: id)) { try syncFolder(folder(of: id)) }
    try FileSystem.remove(layout.upload(id))
  }

  /// A file in `incoming/` that was moved to `lost+found/`. Both are paths as seen from the storage folder.
  package struct SetAside: Sendable, Equatable {
    package let path: String
    package let place: String
    /// Whether it is a whole photo that the database does not know.
    package let isPhoto: Bool
  }

  /// What the database knows of a file in `incoming/`.
  package enum UploadState {
    /// It is this photo's.
    case stored(id: String)
    /// A client has deleted the photo.
    case deleted
    case unknown
  }

  /// Repairs what a crash left of uploads. Keeps the files that have rows, and removes what was never whole: a file gets its
  /// place in `photos/` before its row, so nobody was told that it is stored. Moves everything else to `lost+found/`: files
  /// that are no uploads, and photos without rows, since somebody may have put an older database in place. To be called
  /// before any upload.
  ///
  /// - Parameters:
  ///   - keepsUnfinished: whether unfinished uploads are moved to `lost+found/` too.
  ///   - state: of the upload with this spelling and, if the case of names is ignored, with any other.
  /// - Returns: what was moved.
  @discardableResult
  package func recoverUploads(
    keepsUnfinished: Bool = false, state: (_ spelling: String, _ ignoresCase: Bool) throws -> UploadState
  ) throws -> [SetAside] {
    var moved: [SetAside] = []
    for file in try FileSystem.fileNames(in: layout.incoming) {
      guard let name = file.text, Photo.isID(name.utf8) else {
        if file.text == Self.probeName {
          try FileSystem.remove(layout.upload(Self.probeName))
        } else if let foreign = try setAside(foreign: file) {
          moved.append(foreign)
        }
        continue
      }
      switch try state(name, FileSystem.exists(layout.upload(name.swappingCase))) {
      case .stored(let id):
        try restore(id)
        try removeIncoming(id)
      case .deleted: try discard(name)
      case .unknown:
        if let photo = try setAside(upload: file, of: name, keepsUnfinished) { moved.append(photo) }
      }
    }
    return moved
  }

  /// Moves an upload that has no row to `lost+found/`, unless it was never whole.
  private func setAside(
    upload name: FileName, of id: String, _ keepsUnfinished: Bool
  ) throws(FileError) -> SetAside? {
    let published = try FileSystem.status(path(of: id))?.inode
    guard keepsUnfinished || published != nil else {
      try removeIncoming(id)
      return nil
    }
    let isPhoto = try published == FileSystem.status(layout.upload(id))?.inode
    let place = try LostAndFound(layout).take(name, from: StorageLayout.incoming, keepsName: isPhoto)
    if isPhoto { try discard(id) }
    return SetAside(path: "\(StorageLayout.incoming)/\(id)", place: place, isPhoto: isPhoto)
  }

  /// Links a file that has a row to its place again, if the file system has lost that name.
  private func restore(_ id: String) throws(FileError) {
    guard try !FileSystem.exists(path(of: id)) else { return }
    try makeFolder(of: id)
    try FileSystem.link(layout.upload(id), to: path(of: id))
    try syncPhotoFolder(folder(of: id))
  }

  /// Moves a file that is no upload to `lost+found/`. A folder stays, since the server makes none here, and so does
  /// what other programs put into every folder.
  private func setAside(foreign name: FileName) throws(FileError) -> SetAside? {
    guard name.text.map(StorageLayout.isNegligible) != true, try LostAndFound(layout).isUsable,
      try FileSystem.status(name.path(in: layout.incoming))?.kind != .folder
    else { return nil }
    return SetAside(
      path: "\(StorageLayout.incoming)/\(name.printable)",
      place: try LostAndFound(layout).take(name, from: StorageLayout.incoming), isPhoto: false)
  }

  // MARK: - Photos

  /// A photo's file; nil if there is none, or something else in its place, such as a symbolic link.
  package func open(_ id: String) throws(FileError) -> PlainFile? {
    try open(at: path(of: id))
  }

  private func open(at path: String) throws(FileError) -> PlainFile? {
    do {
      return try PlainFile(at: path, followsLink: false)
    } catch  where error.number == FileError.notPlain || error.number == EISDIR {
      return nil
    }
  }

  /// A part of a photo as a body; nil if there is no file, or one of another length.
  func body(of id: String, _ byteCount: Int64, _ range: Range<Int64>) throws(FileError) -> Response.Body? {
    let path = path(of: id)
    let found = try descriptors.open(mayWait: false) { () throws(FileError) in try open(at: path) }
    guard let found, found.byteCount == byteCount else { return nil }
    let file = try descriptors.keep(found.file, path: path, mayWait: false)
    return .file(file, offset: range.lowerBound, length: Int64(range.count))
  }

  /// Nil when the photo has no file.
  package func status(_ id: String) throws(FileError) -> FileStatus? { try FileSystem.status(path(of: id)) }

  /// Whether the bytes of a photo have a name in `incoming/`.
  func isIncoming(_ id: String) throws(FileError) -> Bool { try FileSystem.exists(layout.upload(id)) }

  /// The SHA-256 of a photo's file; nil when there is none.
  package func digest(of id: String) throws -> [UInt8]? {
    try open(id).map { try SHA256.digest(of: $0.file, path: path(of: id)) }
  }

  /// Removes the file of a photo; it may be back after a power failure.
  func remove(_ id: String) throws(FileError) {
    // Anything else could be a path to another folder.
    guard Photo.isID(id.utf8) else { return }
    try FileSystem.remove(path(of: id))
  }

  /// The result of a removal.
  package struct Removal: Sendable {
    /// The ids of the photos whose files were removed.
    package let gone: [String]
    /// The first error; nil if all were removed.
    package let failure: FileError?
  }

  /// Removes the files of photos, and syncs their folders. What is no id of a photo has no file; it could be a path to
  /// one of somebody else's.
  ///
  /// - Returns: what was removed, even if some could not be.
  package func removeDurably(_ ids: [String]) -> Removal {
    var gone = ids.filter { !Photo.isID($0.utf8) }
    var failure: FileError?
    for (folder, ids) in Dictionary(grouping: ids.filter({ Photo.isID($0.utf8) }), by: folder) {
      do throws(FileError) {
        for id in ids { try FileSystem.remove(path(of: id)) }
        do { try syncFolder(folder) } catch  where error.number == ENOENT {}
        gone += ids
      } catch {
        failure = failure ?? error
      }
    }
    return Removal(gone: gone, failure: failure)
  }

  /// Removes the files of all photos, with or without rows. The caller must hold the library's lock exclusively.
  package func removeAll() throws(FileError) {
    for folder in try FileSystem.names(in: layout.photos) where StorageLayout.isPhotoFolder(folder) {
      for name in try FileSystem.names(in: "\(layout.photos)/\(folder)") where Photo.isID(name.utf8) {
        try remove(name)
      }
    }
  }

  private func syncFolder(_ folder: String) throws(FileError) {
    if isDurable { try FileSystem.syncFolder(folder) }
  }

  private func folder(of id: String) -> String { layout.photoFolder(of: id) }

  package func path(of id: String) -> String { layout.photo(id) }
}

extension SHA256 {
  /// The SHA-256 of a whole file.
  package static func digest(of file: OpenFile, path: String) throws -> [UInt8] {
    let digest = SHA256()
    try FileSystem.forEachChunk(of: file, path: path) { digest.update($0) }
    return digest.finish()
  }
}
