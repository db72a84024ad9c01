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
}
