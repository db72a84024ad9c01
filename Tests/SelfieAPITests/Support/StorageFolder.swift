import Foundation
import Synchronization

/// A folder that is gone with the last reference to it.
final class StorageFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("selfie-api-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The files, not the folders, at any depth below one of the storage's folders.
  func files(in name: String) throws -> [String] {
    let folder = "\(path)/\(name)"
    return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { subpath in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(folder)/\(subpath)", isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }

  func contents(of file: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: "\(path)/\(file)")))
  }

  func write(_ bytes: [UInt8], to file: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(file)"))
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
  }

  func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(path)/\(name)")
  }

  /// Everything in a folder, of the storage's own.
  func names(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(name)")
  }

  func link(_ file: String, to other: String) throws {
    try FileManager.default.linkItem(atPath: "\(path)/\(file)", toPath: "\(path)/\(other)")
  }

  func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: "\(path)/\(name)", toPath: "\(path)/\(other)")
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
  }

  /// Puts a file where a folder is, so that nothing can be created in it, not even by root.
  func replaceByFile(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    try write([], to: name)
  }
}

/// The top of the checkout.
let checkout = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

/// A time that stands still until a test moves it.
final class SettableClock: Sendable {
  private let milliseconds: Mutex<Int64>

  /// - Parameter milliseconds: unix milliseconds; without it, 2026-11-20T22:24:16.641Z.
  init(_ milliseconds: Int64 = 1_795_213_456_641) {
    self.milliseconds = Mutex(milliseconds)
  }

  var now: Int64 { milliseconds.withLock { $0 } }

  func advance(milliseconds count: Int64) {
    milliseconds.withLock { $0 += count }
  }

  func advance(seconds: Int64) {
    advance(milliseconds: seconds * 1000)
  }
}
