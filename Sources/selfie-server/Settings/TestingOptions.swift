import ArgumentParser

/// The flags for those who test with the server.
struct TestingOptions: ParsableArguments {
  @Flag(help: "For tests: keep nothing, on a free port, with the control interface.")
  var ephemeral = false

  @Flag(help: "For tests: the control interface under /__admin/.")
  var control = false

  @Option(help: "A file that says, once the server listens, where, and what a client must know.")
  var readyFile: String?

  @Flag(help: "End with the process that has started this one.")
  var exitWithParent = false

  @Option(help: "With --exit-with-parent: that process, should it have ended before this one looks.")
  var parentPid: Int32?

  /// What was given, by the names that the environment uses.
  var given: [Setting: String] {
    [.ephemeral: ephemeral, .control: control].filter(\.value).mapValues { _ in "on" }
  }
}
