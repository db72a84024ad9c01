import Cryptography
import Foundation
import SQLite

/// A look at the storage itself: every row has its file, every file its row, the database is sound.
struct StorageLook {
  let storage: String
  /// Files are read once: those of rows up to this one were.
  private var read: Int64 = 0

  init(storage: String) {
    self.storage = storage
  }

  /// After a start has settled what was under way, nothing may be left of it.
  func checkIncoming() throws {
    let names = try names("incoming")
    guard names.isEmpty else { throw Violation("incoming/ has \(names) after a start") }
  }

  /// - Parameters:
  ///   - isSettled: a server has started and had no upload since, so that the files of deleted photos are on their way
  ///     out at most, and no others are there. Without, names in `incoming/` and removals may be left.
  ///   - all: reads all files, instead of those that were added since the last look.
  mutating func check(isSettled: Bool, all: Bool = false) throws {
    let connection = try Connection(path: "\(storage)/selfie.sqlite3", mode: .readOnly)
    defer { connection.close() }
    let problems = try connection.integrityProblems() + connection.foreignKeyProblems()
    guard problems.isEmpty else { throw Violation("integrity_check: \(problems)") }
    let orphans = try checkRows(connection, all: all)
    guard !orphans.isEmpty else { return }
    let excused = try Set(names("incoming") + removed(connection))
    // A server may have removed it meanwhile; it forgets why only then.
    if let orphan = orphans.first(where: { !excused.contains($0) && isThere($0) }) {
      throw Violation("the file of \(orphan) has no row")
    }
    guard isSettled else { return }
    // A start removes the files of deleted photos after its first responses.
    for _ in 0..<2_000 where orphans.contains(where: isThere) { usleep(50_000) }
    if let orphan = orphans.first(where: isThere) { throw Violation("the file of \(orphan), deleted, is still there") }
  }

  /// - Returns: the files without a row.
  private mutating func checkRows(_ connection: Connection, all: Bool) throws -> Set<String> {
    var files = Set<String>()
    for folder in try names("photos") where folder.count == 2 { try files.formUnion(names("photos/\(folder)")) }
    let rows = try connection.query("SELECT id, random_id, byte_count, sha256 FROM photos ORDER BY id") {
      (rowID: $0.integer(0), id: $0.text(1) ?? "", byteCount: $0.integer(2), sha256: $0.blob(3))
    }
    for row in rows {
      let attributes = try? FileManager.default.attributesOfItem(atPath: path(row.id))
      guard let size = attributes?[.size] as? Int64 ?? (attributes?[.size] as? Int).map(Int64.init) else {
        throw Violation("the row of \(row.id) has no file")
      }
      guard size == row.byteCount else { throw Violation("\(row.id) has \(size) bytes, not \(row.byteCount)") }
      files.remove(row.id)
      guard all || row.rowID > read else { continue }
      // Until upkeep has noted the digest, it is the client alone that knows the bytes, and compares them.
      guard let bytes = FileManager.default.contents(atPath: path(row.id)),
        row.sha256.isEmpty || Digest.sha256([UInt8](bytes)) == row.sha256
      else { throw Violation("\(row.id) has other bytes than were uploaded") }
    }
    read = rows.last?.rowID ?? read
    return files
  }

  private func removed(_ connection: Connection) throws -> [String] {
    try connection.query("SELECT random_id FROM removed_photos") { $0.text(0) ?? "" }
  }

  private func path(_ id: String) -> String { "\(storage)/photos/\(id.prefix(2))/\(id)" }

  private func isThere(_ id: String) -> Bool { FileManager.default.fileExists(atPath: path(id)) }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(storage)/\(folder)")
  }
}
