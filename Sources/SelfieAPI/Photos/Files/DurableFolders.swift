import Synchronization

/// The folders whose names are known to be on the disk.
///
/// A folder that exists may still be lost in a power failure: the upload that made it may not have synced its name yet,
/// or may have failed to. So an upload into a folder that is not in this set syncs the folder's name too.
final class DurableFolders: Sendable {
  private let paths = Mutex<Set<String>>([])

  func contains(_ path: String) -> Bool { paths.withLock { $0.contains(path) } }

  func insert(_ path: String) { paths.withLock { _ = $0.insert(path) } }

  func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }
}
