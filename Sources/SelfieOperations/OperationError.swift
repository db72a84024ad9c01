import Platform
package import SelfieAPI

/// Why a command of the owner's cannot do what it was asked for. The text says what to do about it. Wrong settings are
/// a `ConfigurationError` in Platform.
package struct OperationError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }

  /// - Parameter folder: has no database.
  package static func noStorage(in folder: String) -> OperationError {
    let path = folder.hasPrefix("/") || folder.hasPrefix(".") ? folder : "./\(folder)"
    return OperationError("There is no storage in \(path). Run this in the server's folder, or pass --storage-dir.")
  }

  /// - Parameter folder: where a restore was interrupted.
  package static func interruptedRestore(into folder: String) -> OperationError {
    OperationError("A restore into \(folder) was interrupted. Run selfie-server restore again, or empty the folder.")
  }
}

extension StorageLayout {
  /// Throws unless the folder is a storage: whatever else it is must stay as it is.
  package func requireStorage() throws {
    guard (try? FileSystem.status(folder + "/."))?.kind == .folder else {
      throw OperationError("There is no folder \(folder) that can be read. Set STORAGE_DIR to the server's folder.")
    }
    switch try storageState {
    case .new where (try? FileSystem.names(in: restoring).isEmpty) == false:
      throw OperationError.interruptedRestore(into: folder)
    case .new: throw OperationError.noStorage(in: folder)
    case .incomplete(let problem): throw OperationError(problem)
    case .whole: break
    }
  }
}
