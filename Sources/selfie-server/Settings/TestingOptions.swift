import ArgumentParser

/// The flags for tests of apps.
struct TestingOptions: ParsableArguments {
  @Flag(help: "For tests: keep nothing, on a free port, with the control interface.")
  var ephemeral = false

  @Flag(help: "For tests: the control interface under /__admin/.")
  var control = false

  @Option(help: "Once the server listens, write its address and credentials to this file, as JSON.")
  var readyFile: String?

  @Flag(help: "Stop when the process that started this one ends.")
  var exitWithParent = false

  @Option(help: "With --exit-with-parent: the pid of that process, in case it ends before this one looks.")
  var parentPid: Int32?

  /// The flags that were given, by the names of their settings.
  var given: [Setting: String] {
    [.ephemeral: ephemeral, .control: control].filter(\.value).mapValues { _ in "on" }
  }
}
