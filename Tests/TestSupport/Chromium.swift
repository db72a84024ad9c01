import Glibc

/// Headless Chromium, for tests of pages in a real browser: Debian's package `chromium-headless-shell`, which takes less
/// than half of the time of `chromium`, or that. The variable CHROMIUM names another program.
package enum Chromium {
  static let path: String? = (chosen.map { [$0] } ?? names.map { "/usr/bin/\($0)" }).first { access($0, X_OK) == 0 }
  private static let chosen = getenv("CHROMIUM").map { String(cString: $0) }
  private static let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]

  package static var isInstalled: Bool { path != nil }
}
