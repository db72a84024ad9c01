import Synchronization

/// The folders whose names are known to be on the disk.
///
/// That a folder is there does not say that its name is: who has made it may still be syncing that, or have failed to.
/// So whoever puts something into a folder that is not among these syncs its name too.
final class DurableFolders: Sendable {
  private let paths = Mutex<Set<String>>([])

  func contains(_ path: String) -> Bool { paths.withLock { $0.contains(path) } }

  func insert(_ path: String) { paths.withLock { _ = $0.insert(path) } }

  func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }
}
