import Platform

/// A tree such as /usr that has this executable in its `bin`.
struct Installation {
  private let prefix: String

  /// Nil for an executable that is not installed, such as one in a build's folder.
  static var current: Installation? {
    guard let folder = FileSystem.realPath("/proc/self/exe").map(FileSystem.parent), folder.hasSuffix("/bin")
    else { return nil }
    return Installation(prefix: String(folder.dropLast("/bin".count)))
  }

  /// The settings of the service.
  var settings: String { "\(prefix == "/usr" ? "" : prefix)/etc/selfie-server/server.env" }
}
