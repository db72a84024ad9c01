import Platform

/// A tree such as /usr that has this executable in its `bin`, and the files of it elsewhere.
struct Installation {
  private let prefix: String

  /// Nil for an executable that is not installed, such as one in a build's folder.
  static var current: Installation? {
    guard let prefix = foldersOfExecutable.dropFirst().first else { return nil }
    let installation = Installation(prefix: prefix)
    return FileSystem.isFolder(installation.migrations) ? installation : nil
  }

  var migrations: String { "\(prefix)/share/selfie-server/migrations" }

  /// The settings of the service.
  var settings: String { "\(prefix == "/usr" ? "" : prefix)/etc/selfie-server/server.env" }

  /// The folder of the executable, and four of those above, where the checkout is that `swift build` was run in.
  static var foldersOfExecutable: [String] {
    guard var folder = FileSystem.realPath("/proc/self/exe") else { return [] }
    var folders: [String] = []
    while let slash = folder.lastIndex(of: "/"), slash != folder.startIndex, folders.count < 5 {
      folder = String(folder[..<slash])
      folders.append(folder)
    }
    return folders
  }
}
