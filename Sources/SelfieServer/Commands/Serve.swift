import ArgumentParser
import Glibc
import HTTPServer
import Logging
import Platform
import SelfieOperations
import SelfieTestControl

/// `selfie-server serve`: the flags for settings that the environment and the configuration file can give too.
/// `Runtime` starts the server.
struct Serve: Command, ConfigurationSource {
  static let configuration = CommandConfiguration(
    "serve", "Serve until SIGTERM or SIGINT.",
    discussion: """
      Every setting can also be given in the environment or in Config/server.env: --public-url is PUBLIC_URL there.
      """,
    examples: "serve", "serve --port 8080 --storage-dir /var/lib/selfie-server",
    "serve --ephemeral --ready-file /tmp/selfie.json")

  @Option(help: "The configuration file. (default: Config/server.env if it exists)") var config: String?
  @Option(help: .home) var home: String?
  @OptionGroup var given: SettingFlags

  @Option(help: "Once the server listens, write its address and credentials to this file, as JSON.")
  var readyFile: String?

  @Flag(help: "Stop when the process that started this one ends.")
  var exitWithParent = false

  @Option(help: "With --exit-with-parent: the pid of that process, in case it ends before the server can look it up.")
  var parentPid: Int32?

  var flags: [String: String?] { given.texts }

  /// Opens everything that can fail, starts, waits for a signal, and stops in reverse order.
  func execute() throws {
    // That of an earlier server would be taken for this one's, whatever keeps this one from starting.
    if let readyFile { unlink(readyFile) }
    let names = [SettingTable.all.ephemeral.name, SettingTable.all.storageDir.name]
    if names.allSatisfy({ given.texts[$0] != nil }) {
      throw ConfigurationError(
        "--ephemeral keeps no data, so it cannot be combined with --storage-dir. Pass only one of them.")
    }
    let settings = try settings(isServing: true)
    let log = LogWriter(settings.logFormat)
    let logger = StandardErrorLog.logger(settings, log)
    // Before there are any threads, so that they inherit what is done about signals.
    let reload = Monitor<(@Sendable () -> Void)?>(nil)
    let signals = try TerminationSignals { number in
      let reload = number == SIGHUP ? reload.withLock { $0 } : nil
      let name = [SIGUSR1: "SIGUSR1", SIGUSR2: "SIGUSR2"][number] ?? "SIGHUP"
      let effect = reload == nil ? "\(name) is ignored." : "SIGHUP reloads the certificate."
      logger.notice("\(effect) SIGTERM stops the server. To apply new settings, restart it")
      reload?()
    }
    try log.start()
    // After the message about the error that ends the server, if one does.
    defer { log.stop() }
    returnLargeAllocations()
    try raiseDescriptorLimit()
    if exitWithParent { try endWithParent(pid: parentPid) }
    let manager = ServiceManager(logger: logger)

    let control = try Control(settings)
    defer { control?.folder.remove() }
    let storage = try Storage(settings, control, logger: logger)
    let cluster = try ClusterStorage.openWhenThere(settings, signals, logger, stop: log.stop)
    var runtime = try Runtime(settings, storage, cluster, control, log: log, logger: logger)

    defer { if let readyFile { Runtime.removeReadyFile(readyFile) } }
    try runtime.start()
    reload.withLock { $0 = runtime.reload }
    runtime.logStart(to: logger)
    runtime.announce()
    if let readyFile { try runtime.writeReadyFile(readyFile) }
    manager?.tell("READY=1")
    try manager?.watch(runtime.server)

    signals.wait()
    logger.info("stopping: finishing the requests in progress")
    manager?.stop()
    signals.exit(at: 2) {
      control?.folder.remove()
      log.stop()
    }
    try runtime.stop()
    storage.release()
    logger.info("stopped")
  }
}

// The help of `serve`: its flags by subject, and one subject in detail. ArgumentParser's would have 180 lines.
// `SettingTable` has the texts about single settings.
extension Serve {
  /// The help that a command line asks for; nil if it asks for none.
  static func help(_ arguments: [String]) -> String? {
    let words = arguments.first == "help" ? Array(arguments.dropFirst()) + ["--help"] : arguments
    guard words.first == "serve", let help = words.firstIndex(where: { ["--help", "-h"].contains($0) }) else {
      return nil
    }
    guard let subject = words[words.index(after: help)...].first?.lowercased() else { return overview }
    let sections = SettingTable.sections.filter { $0.name.lowercased().contains(subject) }
    return sections.isEmpty ? overview : sections.map(details).joined(separator: "\n")
  }

  private static let overview = """
    Serves until SIGTERM or SIGINT.

    USAGE: selfie-server serve [options]

    Each flag is also a setting: --public-url is PUBLIC_URL in the environment and in Config/server.env. Secrets: set
    them in the environment or a file. Other users can read flags. A word after --help explains the flags of its subject:
    selfie-server serve --help limits

    \(SettingTable.sections.map { "\($0.name)\n\(flags(of: $0))" }.joined())\
    Files and processes
      --config FILE, --home FOLDER: where the settings and the storage are
      --ready-file FILE: gets the address and the credentials as JSON once the server listens
      --exit-with-parent, --parent-pid PID: stop when the process ends that started this one

    EXAMPLES
      selfie-server serve --port 8080 --storage-dir /var/lib/selfie-server
      selfie-server serve --ephemeral --ready-file /tmp/selfie.json

    """

  private static func flags(of section: SettingTable.Section) -> String {
    wrapped(section.rows.map { "--\($0.flag)" }.joined(separator: " "), width: 100).map { "  \($0)\n" }.joined()
  }

  private static func details(of section: SettingTable.Section) -> String {
    section.rows.reduce("\(section.name)\n") { text, row in
      let meaning = [row.flagHelp, row.details].filter { !$0.isEmpty }.joined(separator: " ")
      return text + "\n  --\(row.flag)\n" + wrapped(meaning, width: 100).map { "      \($0)\n" }.joined()
    }
  }
}
