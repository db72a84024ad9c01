import ArgumentParser
import Cryptography
import Glibc
import HTTPServer
import Logging
import SQLite
import SelfieAPI
import SelfieControl
import Platform

/// `selfie-server serve`.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serve until SIGTERM or SIGINT.")

  @OptionGroup var options: SettingsOptions
  @OptionGroup(title: "For tests") var testing: TestingOptions

  func run() throws {
    do {
      if testing.ephemeral && options.storageDir != nil {
        throw ConfigurationError(problems: [
          "--ephemeral keeps nothing, and --storage-dir says where to keep it. Give one of them."
        ])
      }
      let flags = options.given.merging(testing.given) { _, flag in flag }
      try serve(Settings(SettingSources(flags: flags, file: options.config)))
    } catch {
      throw ExitCode.failure(error)
    }
  }

  private func serve(_ settings: Settings) throws {
    // Before there are any threads: signals come to this one only, and no write to a closed socket ends the process.
    let signals = TerminationSignals()
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow any more (RLIMIT_FSIZE) is an error to answer, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    if testing.exitWithParent { try ParentProcess.endWithIt(pid: testing.parentPid) }
    let readyFile = testing.readyFile.map(ReadyFile.init)
    readyFile?.clear()
    let logger = Logger(label: "selfie-server") { _ in
      StandardErrorLog(level: settings.logLevel, format: settings.logFormat)
    }
    let migrations = try Migrations(directory: MigrationsFolder.find(chosen: settings.migrationsDir)) {
      Digest.hex(Digest.sha256($0))
    }
    let control = try Control(settings)
    if control != nil { DescriptorLimit.raise() }
    defer { control?.folder.remove() }
    let storage =
      if let control, control.isEphemeral {
        try Storage(path: control.folder.makeFolder(), makesFolder: false)
      } else {
        try Storage(path: settings.storageDir, makesFolder: !settings.storageIsChosen)
      }
    let running = try RunningServer(
      settings: settings, control: control, storage: storage, migrations: migrations, logger: logger)
    try running.start()
    log(control, to: logger)
    Self.announce(settings, running, storage)
    defer { readyFile?.remove() }
    try readyFile?.write(host: settings.host, port: running.port, running.credentials)
    signals.wait()
    logger.info("stopping: finishing the requests under way")
    signals.exitOnNext { control?.folder.remove() }
    running.stop()
  }

  private func log(_ control: Control?, to logger: Logger) {
    guard let control else { return }
    if control.isEphemeral {
      logger.notice(
        "nothing is kept: what is stored is never synced to a disk, and goes with this process",
        metadata: ["folder": "\(control.folder.path)"])
    }
    logger.notice("the control interface is on: under /__admin/ whoever may use it can change everything")
  }

  private static func announce(_ settings: Settings, _ running: RunningServer, _ storage: Storage) {
    var text = "Listening on \(Settings.url(host: settings.host, port: running.port))\n"
    if running.credentials.isNew || isatty(STDOUT_FILENO) != 0 {
      text += """

        Paste into the app's HTTPHelper.swift:

          static let API_AUTH_NAME = "\(running.credentials.name)"
          static let API_AUTH_PASSWORD = "\(running.credentials.password)"
          static let BASE_URL = "\(settings.clientURL(port: running.port))/api"


        """
      if settings.credentials == nil { text += "They are kept in \(storage.credentialsPath).\n" }
    }
    Terminal.write(text, to: STDOUT_FILENO)
  }
}

extension ExitCode {
  /// Ends the process with status 1 and the error's own words.
  static func failure(_ error: any Error) -> ExitCode {
    Terminal.write("selfie-server: \(error)\n", to: STDERR_FILENO)
    return .failure
  }
}
