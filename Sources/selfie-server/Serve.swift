import ArgumentParser
import Cryptography
import Glibc
import HTTPServer
import Logging
import SQLite
import SelfieAPI
import Workers

/// `selfie-server serve`.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serve until SIGTERM or SIGINT.")

  @OptionGroup var options: SettingsOptions

  func run() throws {
    do {
      try Self.serve(Settings(SettingSources(flags: options.given, file: options.config)))
    } catch {
      throw ExitCode.failure(error)
    }
  }

  private static func serve(_ settings: Settings) throws {
    // Before there are any threads: signals come to this one only, and no write to a closed socket ends the process.
    let signals = TerminationSignals()
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow any more (RLIMIT_FSIZE) is an error to answer, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    let logger = Logger(label: "selfie-server") { _ in
      StandardErrorLog(level: settings.logLevel, format: settings.logFormat)
    }
    let migrations = try Migrations(directory: MigrationsFolder.find(chosen: settings.migrationsDir)) {
      Digest.hex(Digest.sha256($0))
    }
    let storage = try Storage(path: settings.storageDir, makesFolder: !settings.storageIsChosen)
    let running = try RunningServer(settings: settings, storage: storage, migrations: migrations, logger: logger)
    try running.start()
    announce(settings, running, storage)
    signals.wait()
    logger.info("stopping: finishing the requests under way")
    signals.exitOnNext()
    running.stop()
  }

  private static func announce(_ settings: Settings, _ running: RunningServer, _ storage: Storage) {
    var text = "Listening on \(address(settings.host, running.port))\n"
    if running.credentials.isNew || isatty(STDOUT_FILENO) != 0 {
      text += """

        Paste into the app's HTTPHelper.swift:

          static let API_AUTH_NAME = "\(running.credentials.name)"
          static let API_AUTH_PASSWORD = "\(running.credentials.password)"
          static let BASE_URL = "\(clientURL(settings, port: running.port))/api"


        """
      if settings.credentials == nil { text += "They are kept in \(storage.credentialsPath).\n" }
    }
    Terminal.write(text, to: STDOUT_FILENO)
  }

  /// Where clients reach the server. Nobody can connect to "everywhere", and which of the machine's
  /// addresses a client can reach is not known here: a server that listens everywhere leaves a blank.
  static func clientURL(_ settings: Settings, port: Int) -> String {
    if let url = settings.publicURL { return url }
    return address(settings.listensEverywhere ? "ADDRESS-OF-THIS-MACHINE" : settings.host, port)
  }

  private static func address(_ host: String, _ port: Int) -> String {
    "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}

extension ExitCode {
  /// Ends the process with status 1 and the error's own words.
  static func failure(_ error: any Error) -> ExitCode {
    Terminal.write("selfie-server: \(error)\n", to: STDERR_FILENO)
    return .failure
  }
}

/// Text for people, written at once: what reads it through a pipe must not wait for a buffer to fill.
enum Terminal {
  static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }
}
