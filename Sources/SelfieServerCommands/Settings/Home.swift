import Platform

/// The folder with `Config` and the storage where these are not set: a checkout, or the working folder.
struct Home {
  private let folder: String
  /// Whether a first start may make a storage here. In any other folder a new and empty storage would look as if the
  /// data were lost.
  let mayHaveNewStorage: Bool

  /// - Parameter folder: nil: the working folder.
  init(folder: String?) {
    self.folder = folder ?? "."
    mayHaveNewStorage = folder != nil || Self.checkoutFiles.allSatisfy { (try? FileSystem.exists($0)) ?? false }
  }

  /// Other Swift packages have the first of them, too.
  private static let checkoutFiles = ["Package.swift", "bin/serve"]

  /// The path of a name in this folder. An absolute path stays as it is, and so does an empty one.
  func path(_ name: String) -> String {
    folder == "." || name.isEmpty || name.hasPrefix("/") ? name : "\(folder)/\(name)"
  }
}
