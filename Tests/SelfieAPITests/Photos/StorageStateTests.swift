import Glibc
import Platform
import TestSupport
import Testing

@testable import SelfieAPI

/// Whether a folder is a storage.
@Suite struct StorageStateTests {
  private let folder: TemporaryFolder
  private let layout: StorageLayout
  private let photo = "photos/kk/" + String(repeating: "k", count: Photo.idLength)

  init() throws {
    folder = try TemporaryFolder()
    layout = StorageLayout(folder: folder.path)
  }

  @Test func `an empty one is new, and one with a database is whole`() throws {
    for name in ["photos/ab", "incoming"] { try folder.makeFolder(name) }
    try folder.write([], to: "selfie.sqlite3-wal")
    #expect(try layout.storageState == .new)
    try folder.write([], to: "selfie.sqlite3")
    #expect(try layout.storageState == .new)
    try layout.openDatabase(now: 0).close()
    #expect(try layout.storageState == .whole)
  }

  /// SQLite would make a database there, and delete the log of the old one.
  @Test(arguments: [false, true], ["photo", "upload", "log", "copy"])
  func `photos, uploads, a log or a copy without a database are left as they are`(_ isEmpty: Bool, _ rest: String)
    throws
  {
    let path =
      [
        "photo": photo, "upload": "incoming/" + photo.suffix(Photo.idLength), "copy": "selfie.sqlite3.before-0016",
      ][rest] ?? "selfie.sqlite3-wal"
    try folder.write([1, 2, 3], to: path)
    if isEmpty { try folder.write([], to: "selfie.sqlite3") }
    let names = try folder.files(in: "")
    let error = #expect(throws: ConfigurationError.self) { try layout.openDatabase(now: 0) }
    let loss = "selfie.sqlite3 is \(isEmpty ? "empty" : "missing")"
    #expect(error?.description.contains(loss) == true && error?.description.contains("restore a backup") == true)
    #expect(try folder.files(in: "") == names)
    #expect(try folder.bytes(of: path) == [1, 2, 3])
  }

  @Test func `a link to a database on a disk that is away is no new storage`() throws {
    let disk = try TemporaryFolder()
    symlink("\(disk.path)/db", layout.database)
    let error = #expect(throws: ConfigurationError.self) { try layout.openDatabase(now: 0) }
    #expect(error?.description.hasPrefix("\(layout.database) is a link that leads nowhere.") == true)
    #expect(try disk.contents() == [])
    for name in ["photos", "incoming"] {
      let folder = try TemporaryFolder()
      symlink("\(disk.path)/\(name)", "\(folder.path)/\(name)")
      let words = "\(folder.path)/\(name) is a link that leads nowhere. Mount its disk, or correct the link."
      #expect(try StorageLayout(folder: folder.path).storageState == .incomplete(words))
    }
    try disk.write([], to: "db")
    #expect(try layout.storageState == .new)
    try layout.openDatabase(now: 0).close()
    #expect(try layout.storageState == .whole)
  }

  @Test func `a damaged database says what to do`() throws {
    try folder.write(Array(repeating: 7, count: 8192), to: "selfie.sqlite3")
    let error = #expect(throws: ConfigurationError.self) { try layout.openDatabase(now: 0) }
    #expect(error?.description.contains("doctor --salvage FOLDER") == true, "\(String(describing: error))")
    #expect(error?.description.contains("selfie.sqlite3") == true)
  }
}
