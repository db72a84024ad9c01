import Platform
import SQL

/// How opening a database changed its schema.
public struct Upgrade: Sendable, Equatable {
  /// The names of the migrations that were run, in order.
  public let steps: [String]
  /// The path of a copy of the database from before; nil if the database was new or no step was run.
  public let copy: String?
}

extension Migrations {
  /// Like ``run(on:now:beforeUpgrade:)``, but first copies the database at `path` to a file next to it.
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

/// A copy of a database from before its schema was changed. `selfie.sqlite3.before-0005`, next to `selfie.sqlite3`, was
/// made before migration 0005 was run.
struct UpgradeCopy {
  /// How many copies there may be. The oldest are removed once there is a new one.
  static let kept = 3

  /// Where the database is.
  let path: String
  /// How many bytes may still be written to the file system of a folder; nil if that is not known.
  var freeBytes: (_ folder: String) -> Int64? = { try? FileSystem.freeBytes(at: $0) }

  private var folder: String { FileSystem.parent(of: path) }

  /// Copies the database before `step` runs on it, and returns the path of the copy once that is on the disk.
  func keep(_ connection: Connection, before step: Migration) throws(MigrationError) -> String {
    let copy = "\(path).before-\(step.name.prefix(4))"
    let partial = "\(copy).partial"
    do {
      // An earlier attempt may have left one, and takes room.
      try FileSystem.remove(partial)
      let needed = try connection.byteCount()
      if let free = freeBytes(folder), free < needed {
        throw MigrationError("\(needed) bytes are needed, and \(free) are free. Make room, and start again")
      }
      try connection.copy(to: partial)
      try FileSystem.rename(partial, to: copy)
      try FileSystem.syncFolder(folder)
    } catch {
      _ = try? FileSystem.remove(partial)
      throw MigrationError(
        """
        \(step.fileName) was not run, since no copy of the database could be made before, at \(copy): \(error)
        """)
    }
    removeOldest()
    return copy
  }

  /// A copy that cannot be removed does no harm.
  private func removeOldest() {
    let prefix = (path.split(separator: "/").last ?? "") + ".before-"
    guard let names = try? FileSystem.names(in: folder) else { return }
    let copies = names.filter { name in
      name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 4
        && name.utf8.suffix(4).allSatisfy(\.isASCIIDigit)
    }
    for name in copies.sorted().dropLast(Self.kept) { _ = try? FileSystem.remove("\(folder)/\(name)") }
  }
}
