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
    return OperationError(
      "There is no storage in \(path). Run this in the server's folder, or pass --storage-dir. A new server makes it when "
        + "it is first started.")
  }

  /// - Parameter folder: where a restore was interrupted.
  package static func interruptedRestore(into folder: String) -> OperationError {
    OperationError("A restore into \(folder) was interrupted. Run selfie-server restore again, or empty the folder.")
  }

  /// Throws if the disk has too little room.
  ///
  /// - Parameter reserved: bytes that others need.
  static func checkRoom(_ needed: Int64, at folder: String, for what: String, besides reserved: Int64 = 0) throws {
    let free = max(0, try FileSystem.freeBytes(at: folder) &- reserved)
    guard needed <= free else { throw noRoom(needed, at: folder, for: what, free: free) }
  }

  /// - Parameters:
  ///   - needed: nil if that is not known.
  ///   - free: nil if the disk had too little room only later.
  static func noRoom(_ needed: Int64?, at place: String, for what: String, free: Int64? = nil) -> OperationError {
    let bytes = needed.map { ": it needs \($0) bytes" } ?? ""
    return OperationError(
      "There is no room for \(what) at \(place)\(bytes)"
        + (free.map { ", and \($0) may be used." } ?? ". Make room, and try again."))
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
