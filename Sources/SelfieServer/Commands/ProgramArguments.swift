import Platform

/// The program's arguments as the system has them. Swift's own are texts, in which another character stands for bytes that are
/// not UTF-8, so that a path would lead elsewhere.
enum ProgramArguments {
  /// More than Linux gives a program by default.
  private static let maxBytes = 8 << 20

  /// Names the first argument that is not UTF-8; nil if there is none.
  static var problem: String? {
    let bytes = (try? FileSystem.contents(of: "/proc/self/cmdline", maxBytes: maxBytes)) ?? nil
    let arguments = (bytes ?? []).split(separator: 0)
    return arguments.first { String(validating: $0, as: UTF8.self) == nil }.map { argument in
      "The argument \(String(printable: Array(argument))) is not UTF-8. If it is a folder or file, give it another name."
    }
  }
}
