import Foundation

/// A folder that is removed with the last reference to it. Names are paths relative to it.
package final class TemporaryFolder: Sendable {
  package let path: String

  /// - Parameter parent: an absolute path.
  package init(in parent: String = FileManager.default.temporaryDirectory.path) throws {
    path = URL(fileURLWithPath: parent).appendingPathComponent("selfie-tests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  // MARK: - Looking

  package func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(path)/\(name)")
  }

  package func bytes(of file: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: "\(path)/\(file)")))
  }

  package func text(of file: String) throws -> String {
    try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8)
  }

  /// The names of the files and folders directly in one of its folders.
  package func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")
  }

  /// The paths of the files and folders at any depth below one of its folders.
  package func contents(of folder: String = "") throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(path)/\(folder)").sorted()
  }

  /// The paths of the files, without the folders, at any depth below one of its folders.
  package func files(in folder: String) throws -> [String] {
    try contents(of: folder).filter { subpath in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(path)/\(folder)/\(subpath)", isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }

  package func permissions(of name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
  }

  // MARK: - Changing

  /// Writes a file, and makes its folder.
  package func write(_ bytes: [UInt8], to file: String) throws {
    let url = URL(fileURLWithPath: "\(path)/\(file)")
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  package func write(_ text: String, to file: String) throws {
    try write(Array(text.utf8), to: file)
  }

  package func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
  }

  package func link(_ file: String, to other: String) throws {
    try FileManager.default.linkItem(atPath: "\(path)/\(file)", toPath: "\(path)/\(other)")
  }

  package func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: "\(path)/\(name)", toPath: "\(path)/\(other)")
  }

  package func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
  }

  /// Puts a file where a folder is, so that nothing can be created in it, not even by root.
  package func replaceByFile(_ name: String) throws {
    try remove(name)
    try write([], to: name)
  }
}
