import ArgumentParser

/// The flags for tests of apps.
struct TestingOptions: ParsableArguments {
  @Flag(help: "For tests: keep nothing, on a free port, with the control interface.")
  var ephemeral = false

  @Flag(help: "For tests: the control interface under /__admin/.")
  var control = false

  @Option(help: "The user name that the control interface asks for. (default: made at the start)")
  var controlName: String?

  @Option(help: "Its password. Everybody on the machine can read it here, but not in the environment or the file.")
  var controlPassword: String?

  @Option(help: "The folder whose files may be named by path in POST /__admin/state.")
  var seedFolder: String?

  @Option(help: "Once the server listens, write its address and credentials to this file, as JSON.")
  var readyFile: String?

  @Flag(help: "Stop when the process that started this one ends.")
  var exitWithParent = false

  @Option(help: "With --exit-with-parent: the pid of that process, in case it ends before this one looks.")
  var parentPid: Int32?

  /// The flags that were given, by the names of their settings.
  var given: [Setting: String] {
    let flags: [Setting: String?] = [
      .ephemeral: ephemeral ? "on" : nil, .control: control ? "on" : nil, .controlName: controlName,
      .controlPassword: controlPassword,
    ]
    return flags.compactMapValues(\.self)
  }
}
