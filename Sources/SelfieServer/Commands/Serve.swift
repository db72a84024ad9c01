import ArgumentParser
import Glibc
import HTTPServer
import Logging
import Platform
import SelfieOperations
import SelfieTestControl

/// `selfie-server serve`: the flags of the settings that differ from one start to the next. All settings can be given by
/// the environment and the configuration file. `Runtime` starts the server.
struct Serve: Command, ConfigurationSource {
  static let configuration = CommandConfiguration(
    "serve", "Serve until SIGTERM or SIGINT.",
    discussion: """
      Each of the flags from --host to --control is also a setting: --public-url is PUBLIC_URL in the environment and in
      Config/server.env. There are more settings; "selfie-server settings" lists them all.
      """,
    examples: "serve", "serve --port 8080 --storage-dir /var/lib/selfie-server",
    "serve --ephemeral --ready-file /tmp/selfie.json")

  @Option(help: "The configuration file. (default: Config/server.env if it exists)") var config: String?
  @Option(help: .home) var home: String?

  @Option(help: .setting(table.host)) var host: String?
  @Option(help: .setting(table.port)) var port: String?
  @Option(help: .setting(table.publicURL)) var publicUrl: String?
  @Option(help: .storageDir) var storageDir: String?
  @Option(help: .setting(table.backupDir)) var backupDir: String?
  @Flag(help: "\(table.ephemeral.help)") var ephemeral = false
  @Flag(help: "\(table.control.help)") var control = false

  @Option(help: "Once the server listens, write its address and credentials to this file, as JSON.")
  var readyFile: String?

  @Flag(help: "Stop when the process that started this one ends.")
  var exitWithParent = false

  @Option(help: "With --exit-with-parent: the pid of that process, in case it ends before the server can look it up.")
  var parentPid: Int32?

  @OptionGroup var test: TestOptions

  private static let table = SettingTable.all
  /// The settings that have a flag.
  static let rows: [any SettingRow] = [
    table.host, table.port, table.publicURL, table.storageDir, table.backupDir, table.ephemeral, table.control,
  ]

  var flags: [String: String?] {
    let table = Self.table
    return [
      table.host.name: host, table.port.name: port, table.publicURL.name: publicUrl, table.storageDir.name: storageDir,
      table.backupDir.name: backupDir, table.ephemeral.name: ephemeral ? "on" : nil,
      table.control.name: control ? "on" : nil,
    ]
  }

  /// Opens everything that can fail, starts, waits for a signal, and stops in reverse order.
  func execute() throws {
    // That of an earlier server would be taken for this one's, whatever keeps this one from starting.
    if let readyFile { unlink(readyFile) }
    if ephemeral, storageDir != nil {
      throw ConfigurationError(
        "--ephemeral keeps no data, so it cannot be combined with --storage-dir. Pass only one of them.")
    }
    let settings = try settings(isServing: true)
    try test.check(isEphemeral: settings.isEphemeral)
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

    let control = try Control(settings, random: test.random)
    defer { control?.folder.remove() }
    let storage = try Storage(settings, control, logger: logger)
    let cluster = try ClusterStorage.openWhenThere(settings, signals, logger, stop: log.stop)
    var runtime = try Runtime(settings, storage, cluster, control, log: log, logger: logger)

    if let seed = test.seed { try runtime.seed(from: seed) }
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
    try runtime.stop(exportingTo: test.export)
    storage.release()
    logger.info("stopped")
  }
}

// Mistyped flags of `serve`. `SelfieServerCommand` explains mistyped commands, and settings that are no flags.
extension Serve {
  /// A message about a word of a command line, which could not be parsed, that is no flag of `serve`; nil if all are, or if
  /// the line is another command's.
  ///
  /// - Parameter commands: the names of all commands, which come before their flags.
  static func mistake(in arguments: [String], commands: [String] = []) -> String? {
    let words = arguments.drop { $0 == "serve" }
    guard arguments.count > words.count || words.first?.hasPrefix("-") == true else { return nil }
    let options = helpMessage().matches(of: /\n  (--[a-z-]+)( <)?/)
    let known = options.map { String($0.1) }
    let withValue = options.filter { $0.2 != nil }.map { String($0.1) }
    var isValue = false
    for word in words {
      let flag = String(word.prefix { $0 != "=" })
      if isValue {
        isValue = false
      } else if known.contains(flag) {
        isValue = flag == word && withValue.contains(flag)
      } else {
        if commands.contains(word) {
          return "Write the command before its flags, as in selfie-server \(word) --help."
        }
        let meant = Int(word) != nil ? "--port \(word)" : Self.flags(like: flag, among: known)
        let remedy = meant.map { "Did you mean \($0)? " } ?? ""
        return "\(word.hasPrefix("-") ? "serve has no flag" : "serve takes no argument") \(flag). \(remedy)"
          + "See \"selfie-server serve --help\"."
      }
    }
    return nil
  }

  /// Those that begin with a word, or the one that is most like it.
  private static func flags(like word: String, among known: [String]) -> String? {
    guard word.hasPrefix("-") else { return nil }
    let name = "--\(word.drop { $0 == "-" })".lowercased().replacing("_", with: "-")
    if name.count == 3 { return ["--p": "--port", "--d": "--storage-dir", "--c": "--config"][name] }
    let longer = name.count > 3 ? known.filter { $0.hasPrefix(name) } : []
    return longer.isEmpty ? name.nearest(among: known) { $0.count / 3 } : longer.joined(separator: " or ")
  }
}
