import Platform
import SQL
import SQLite

/// Finds and reads the database's migrations.
enum MigrationsFolder {
  static func migrations(_ settings: Settings) throws -> Migrations {
    try Migrations(directory: path(settings))
  }

  /// Those of a cluster's database.
  static func clusterMigrations(_ settings: Settings) throws -> Migrations {
    let path = try path(settings)
    let folder = "\(path)/PostgreSQL"
    guard FileSystem.isFolder(folder) else {
      throw ConfigurationError("MIGRATIONS_DIR is \(path), and it has no folder PostgreSQL.")
    }
    return try Migrations(directory: folder)
  }

  static func path(_ settings: Settings) throws(ConfigurationError) -> String {
    try find(chosen: settings.migrationsDir, home: settings.home)
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
    // The installed ones first: the working folder may have migrations of something else, or of another version.
    let candidates =
      [Installation.current?.migrations, home.path("Migrations")].compactMap(\.self)
      + Installation.foldersOfExecutable.map { "\($0)/Migrations" }
    guard let found = candidates.first(where: FileSystem.isFolder) else {
      throw ConfigurationError(
        "The folder Migrations was not found. Start the server next to it, or set MIGRATIONS_DIR.")
    }
    return found
  }
}
