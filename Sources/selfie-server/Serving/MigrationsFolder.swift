import Glibc
import Platform
import SQLite

/// Finds and reads the database's migrations.
enum MigrationsFolder {
  static func migrations(_ settings: Settings) throws -> Migrations {
    try Migrations(directory: find(chosen: settings.migrationsDir, home: settings.home))
  }

  /// Returns the folder that was set. Otherwise it looks for `Migrations` in the home folder, in the executable's
  /// and in four above that, so that it finds the checkout of an executable that `swift build` made.
  private static func find(chosen: String?, home: Home) throws(ConfigurationError) -> String {
    if let chosen {
      guard FileSystem.isFolder(chosen) else {
        throw ConfigurationError("MIGRATIONS_DIR is \(chosen), and there is no such folder.")
      }
      return chosen
    }
    let candidates = [home.path("Migrations")] + besideExecutable
    guard let found = candidates.first(where: FileSystem.isFolder) else {
      throw ConfigurationError(
        "The folder Migrations was not found. Start the server next to it, or set MIGRATIONS_DIR.")
    }
    return found
  }

  private static var besideExecutable: [String] {
    guard let executable = realpath("/proc/self/exe", nil) else { return [] }
    defer { free(executable) }
    var folder = String(cString: executable)
    var candidates: [String] = []
    while let slash = folder.lastIndex(of: "/"), slash != folder.startIndex, candidates.count < 5 {
      folder = String(folder[..<slash])
      candidates.append("\(folder)/Migrations")
    }
    return candidates
  }
}
