import CLinux

/// The words of the command line. `CommandLine.arguments` takes them from /proc, and has none where that is missing: the
/// program would serve, whatever it was asked to do.
enum ProgramArguments {
  /// Without the program's own name; nil where they cannot be known.
  static var all: [String]? {
    let count = clinux_argument_count()
    guard count > 0 else { return nil }
    return (1..<max(1, count)).map { index in clinux_argument(index).map { String(cString: $0) } ?? "" }
  }
}
