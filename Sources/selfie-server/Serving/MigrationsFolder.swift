import Platform
import SQLite

/// Finds and reads the database's migrations.
enum MigrationsFolder {
  static func migrations(_ settings: Settings) throws -> Migrations {
    try Migrations(directory: find(chosen: settings.migrationsDir, home: settings.home))
  }

  /// Returns the folder that was set. An installed executable, such as /usr/bin/selfie-server, has its migrations in
  /// /usr/share/selfie-server. For others it looks for `Migrations` in the home folder, in the executable's and in four
  /// above that, so that it finds the checkout of an executable that `swift build` made.
  private static func find(chosen: String?, home: Home) throws(ConfigurationError) -> String {
    if let chosen {
      guard FileSystem.isFolder(chosen) else {
        throw ConfigurationError("MIGRATIONS_DIR is \(chosen), and there is no such folder.")
      }
      return chosen
    }
    let folders = foldersOfExecutable
    // First: the working folder may have migrations of something else, or of another version.
    let installed = folders.dropFirst().prefix(1).map { "\($0)/share/selfie-server/migrations" }
    let candidates = installed + [home.path("Migrations")] + folders.map { "\($0)/Migrations" }
    guard let found = candidates.first(where: FileSystem.isFolder) else {
      throw ConfigurationError(
        "The folder Migrations was not found. Start the server next to it, or set MIGRATIONS_DIR.")
    }
    return found
  }

  /// The folder of the executable, and those above.
  private static var foldersOfExecutable: [String] {
    guard var folder = FileSystem.realPath("/proc/self/exe") else { return [] }
    var folders: [String] = []
    while let slash = folder.lastIndex(of: "/"), slash != folder.startIndex, folders.count < 5 {
      folder = String(folder[..<slash])
      folders.append(folder)
    }
    return folders
  }
}
