package import Platform
package import SQL

// Copies a database before an upgrade, and reports the upgrade. Migrations+SQLite.swift runs the migrations.

/// How opening a database changed its schema.
package struct Upgrade: Sendable, Equatable {
  /// The names of the migrations that were run, in order.
  package let steps: [String]
  /// The path of a copy of the database from before; nil if the database was new or no step was run.
  package let copy: String?
  /// Rows that belong to rows that are not there. Another program has made them: no step does.
  package var orphans: [String] = []
}

// A copy of a database is made before its schema is changed. `selfie.sqlite3.before-0005`, next to `selfie.sqlite3`, was
// made before migration 0005 was run.
extension Migrations {
  /// How many copies there may be. The oldest by their time are removed once there is a new one.
  private static let keptCopies = 3

  /// Like ``run(on:now:beforeUpgrade:)``, but first copies the database at `path` to a file next to it.
  package func upgrade(
    _ connection: Connection, at path: String, now: Int64, keepsCopy: Bool = true
  ) throws(ConfigurationError) -> Upgrade {
    var copy: String?
    let steps = try run(on: connection, now: now) { step throws(ConfigurationError) in
      guard keepsCopy else { return }
      let free = try? FileSystem.freeBytes(at: FileSystem.parent(of: path))
      copy = try Self.keepCopy(of: connection, at: path, before: step, freeBytes: free)
    }
    let orphans = steps.isEmpty ? [] : (try? connection.foreignKeyProblems()) ?? []
    return Upgrade(steps: steps, copy: copy, orphans: orphans)
  }

  /// Copies the database before `step` runs on it, and returns the path of the copy once that is on the disk.
  ///
  /// - Parameter free: how many bytes may still be written next to it; nil if that is not known.
  static func keepCopy(
    of connection: Connection, at path: String, before step: Migration, freeBytes free: Int64?
  ) throws(ConfigurationError) -> String {
    let copy = "\(path).before-\(step.name.prefix(4))"
    do {
      try connection.keepCopy(at: copy, freeBytes: free)
    } catch {
      throw ConfigurationError(
        """
        \(step.fileName) was not run, since no copy of the database could be made before, at \(copy): \(error)
        """)
    }
    removeOldCopies(of: path, besides: copy)
    return copy
  }

  /// A copy that cannot be removed does no harm.
  ///
  /// - Parameter newest: is kept, though the clock may have been set back since the others were made.
  private static func removeOldCopies(of path: String, besides newest: String) {
    let folder = FileSystem.parent(of: path)
    let prefix = (path.split(separator: "/").last ?? "") + ".before-"
    guard let names = try? FileSystem.names(in: folder) else { return }
    let copies = names.filter { name in
      name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 4
        && name.utf8.suffix(4).allSatisfy(\.isASCIIDigit)
    }
    // After a downgrade, a lower number is the later one.
    let older = copies.map { "\(folder)/\($0)" }.filter { $0 != newest }
      .map { (path: $0, time: (try? FileSystem.status($0))?.modifiedAt ?? 0) }
      .sorted { ($0.time, $0.path) < ($1.time, $1.path) }
    for copy in older.dropLast(keptCopies - 1) { _ = try? FileSystem.remove(copy.path) }
  }
}
