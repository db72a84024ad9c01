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
    let readyFile = readyFile.map(ReadyFile.init)
    readyFile?.clear()
    let manager = ServiceManager(logger: logger)

    let control = try Control(settings)
    defer { control?.folder.remove() }
    let storage = try Storage(settings, control, logger: logger)
    let cluster = try ClusterStorage.openWhenThere(settings, signals, logger, stop: log.stop)
    var runtime = try Runtime(settings, storage, cluster, control, log: log, logger: logger)

    defer { readyFile?.remove() }
    try runtime.start()
    reload.withLock { $0 = runtime.reload }
    runtime.logStart(to: logger)
    runtime.announce()
    try readyFile?.write(
      runtime.settings, port: runtime.port, runtime.key.credentials, control: control?.credentials)
    manager?.tell("READY=1")
    let watchdog = try manager.flatMap { try Watchdog(of: runtime.server, $0) }

    signals.wait()
    logger.info("stopping: finishing the requests in progress")
    manager?.tell("STOPPING=1")
    watchdog?.stop()
    signals.exit(at: 2) {
      control?.folder.remove()
      log.stop()
    }
    try runtime.stop()
    storage.release()
    logger.info("stopped")
  }
}
