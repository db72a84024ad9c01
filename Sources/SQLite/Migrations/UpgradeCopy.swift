import CSQLite
import Glibc

/// What has become of a database's schema.
public struct Upgrade: Sendable, Equatable {
  /// The names of the migrations that were run, in order.
  public let steps: [String]
  /// Where the database is as it was before; nil if it was new, or nothing was run.
  public let copy: String?
}

extension Migrations {
  /// As ``run(on:now:beforeUpgrade:)``, after a copy of the database at `path` has been made beside it.
  public func upgrade(
    _ connection: Connection, at path: String, now: Int64, keepsCopy: Bool = true
  ) throws(MigrationError) -> Upgrade {
    var copy: String?
    let steps = try run(on: connection, now: now) { step throws(MigrationError) in
      if keepsCopy { copy = try UpgradeCopy(path: path).keep(connection, before: step) }
    }
    return Upgrade(steps: steps, copy: copy)
  }
}

/// The copies of a database from before its schema was changed: `selfie.sqlite3.before-0005` beside `selfie.sqlite3`,
/// by the number of the migration that was run next.
struct UpgradeCopy {
  /// Older ones than these are removed once there is a new one.
  static let kept = 3

  /// Where the database is.
  let path: String
  /// Bytes that may be written to the file system of a path.
  var freeBytes: (String) -> Int64? = Self.freeBytes

  /// Copies the database before `step` runs on it, and returns where to. Returns when the copy is on the disk.
  func keep(_ connection: Connection, before step: Migration) throws(MigrationError) -> String {
    let copy = "\(path).before-\(step.name.prefix(4))"
    do {
      // What an earlier attempt has left: the room for it is needed.
      unlink("\(copy).partial")
      let needed = try connection.byteCount()
      if let free = freeBytes(path), free < needed {
        throw MigrationError("\(needed) bytes are needed, and \(free) are free. Make room, and start again")
      }
      try connection.copy(to: "\(copy).partial")
      guard rename("\(copy).partial", copy) == 0, Self.syncFolder(of: copy) else {
        throw SQLiteError.system(SQLITE_IOERR, copy)
      }
    } catch {
      unlink("\(copy).partial")
      throw MigrationError(
        """
        \(step.fileName) was not run, since no copy of the database could be made before, at \(copy): \(error)
        """)
    }
    removeOldest()
    return copy
  }

  /// What cannot be removed does no harm.
  private func removeOldest() {
    let folder = Self.folder(of: path)
    let prefix = (path.split(separator: "/").last ?? "") + ".before-"
    guard let names = try? Migrations.fileNames(in: folder + "/") else { return }
    let copies = names.filter { name in
      name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 4
        && name.utf8.suffix(4).allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    for name in copies.sorted().dropLast(Self.kept) { unlink("\(folder)/\(name)") }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "" : String(path[..<slash])
  }

  private static func syncFolder(of path: String) -> Bool {
    let descriptor = open(folder(of: path) + "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }

  private static func freeBytes(at path: String) -> Int64? {
    var status = statvfs()
    guard statvfs(folder(of: path) + "/", &status) == 0 else { return nil }
    let (bytes, isOverflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
      by: Int64(clamping: status.f_frsize))
    return isOverflow ? nil : bytes
  }
}
