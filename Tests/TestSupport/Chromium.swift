import Glibc

/// Headless Chromium, for tests of pages in a real browser: Debian's package `chromium-headless-shell`, which takes less
/// than half of the time of `chromium`, or that.
package enum Chromium {
  static let path: String? = names.map { "/usr/bin/\($0)" }.first { (path: String) in access(path, X_OK) == 0 }
  private static let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]

  package static var isInstalled: Bool { path != nil }
}
