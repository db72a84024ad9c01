import Glibc
import Platform

/// Headless Chromium, for tests of pages in a real browser: Debian's package `chromium`.
public enum Chromium {
  static let path: String? = names.map { "/usr/bin/\($0)" }.first { (path: String) in access(path, X_OK) == 0 }
  private static let names = ["chromium", "chromium-browser", "google-chrome"]

  public static var isInstalled: Bool { path != nil }

  /// Opens a page with a new profile, waits until its scripts and requests have ended, and returns its document as HTML.
  public static func document(of url: String) async throws -> String {
    guard let path else { throw NotInstalled() }
    let (profile, output) = (try TemporaryFolder(), try ProgramPipe())
    let errors = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(errors) }
    let program = try Program(
      path,
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
        "--no-first-run", "--user-data-dir=\(profile.path)", "--virtual-time-budget=60000", "--dump-dom", url,
      ],
      environment: ["HOME": profile.path, "PATH": "/usr/bin:/bin"], in: profile.path, output: output.writing,
      errors: errors)
    close(output.writing)
    return try await Blocking.run {
      defer { withExtendedLifetime(program) {} }
      let file = OpenFile(owning: output.reading)
      var html: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 65536)
      while case let count = read(file.descriptor, &block, block.count), count > 0 { html += block[..<count] }
      return String(decoding: html, as: UTF8.self)
    }
  }

  struct NotInstalled: Error {}
}
