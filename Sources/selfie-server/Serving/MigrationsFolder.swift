import Glibc
import Platform

/// Where the database's migrations are.
enum MigrationsFolder {
  /// The folder that was set, or `Migrations` where the server was started, beside its executable, or
  /// where `swift build` has put that inside a checkout.
  static func find(chosen: String?) throws(ConfigurationError) -> String {
    if let chosen {
      guard FileSystem.isFolder(chosen) else {
        throw ConfigurationError("MIGRATIONS_DIR is \(chosen), and there is no such folder.")
      }
      return chosen
    }
    let candidates = ["Migrations"] + besideExecutable
    guard let found = candidates.first(where: FileSystem.isFolder) else {
      throw ConfigurationError(
        "The folder Migrations was not found. Start the server beside it, or set MIGRATIONS_DIR.")
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
